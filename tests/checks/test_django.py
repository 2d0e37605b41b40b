"""Django's own test runner, real, under format unittest: its database, its transactions, its kinds of tests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import uv

from tests.support.passes import run_suite

PROJECT = {
    "manage.py": (
        "import os, sys\n"
        'os.environ["DJANGO_SETTINGS_MODULE"] = "settings"\n'
        "from django.core.management import execute_from_command_line\n"
        "execute_from_command_line(sys.argv)\n"
    ),
    "settings.py": (
        'SECRET_KEY = "x"\n'
        'INSTALLED_APPS = ["django.contrib.contenttypes", "app"]\n'
        'DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}\n'
        'DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"\n'
    ),
    "app/__init__.py": "",
    "app/models.py": (
        "from django.db import models\nclass Thing(models.Model):\n    name = models.CharField(max_length=9)\n"
    ),
    "app/tests.py": (
        "from django.test import SimpleTestCase, TestCase, TransactionTestCase\n"
        "from app.models import Thing\n"
        "class Rows(TestCase):\n"
        "    @classmethod\n"
        '    def setUpTestData(cls): Thing.objects.create(name="a")\n'
        "    def test_one(self): self.assertEqual(Thing.objects.count(), 1)\n"
        "    def test_fails(self): self.assertEqual(Thing.objects.count(), 2)\n"
        "class Broken(TestCase):\n"
        "    @classmethod\n"
        '    def setUpTestData(cls): raise ValueError("data")\n'
        "    def test_never(self): pass\n"
        "class Plain(SimpleTestCase):\n"
        "    def test_page(self): self.assertEqual(self.client.get('/none').status_code, 404)\n"
    ),
    "urls.py": "urlpatterns = []\n",
}


@pytest.mark.network
@pytest.mark.parametrize("order", [None, 7])
def test_djangos_runner_is_heard(tmp_path: Path, order: int | None, django: Path):
    suite = run_suite(
        tmp_path,
        {**PROJECT, "settings.py": PROJECT["settings.py"] + 'ROOT_URLCONF = "urls"\n'},
        command=(sys.executable, "manage.py", "test", "--failfast"),
        check_format="unittest",
        env={"PYTHONPATH": str(django)},
        perturbation={"order_seed": order},
    )
    assert {name: result.outcome for name, result in suite.results.items()} == {
        "app/tests.py::Rows::test_one": "passed",
        "app/tests.py::Rows::test_fails": "failed",
        "app/tests.py::Broken::test_never": "error",
        "app/tests.py::Plain::test_page": "passed",
    }
    assert suite.results["app/tests.py::Broken::test_never"].signature == "ValueError: data"
    assert suite.canaries is True
    assert suite.finished


@pytest.fixture(scope="module")
def django(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Django in a folder, from the package index."""
    folder = tmp_path_factory.mktemp("django")
    words = ("pip", "install", "--quiet", "--python", sys.executable, "--target", str(folder), "django==5.2.*")
    subprocess.run([uv.find_uv_bin(), *words], check=True)
    return folder
