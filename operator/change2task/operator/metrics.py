"""What is measured of the operator, for Prometheus: how much waits and runs, how looks end, how long they take."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector


class Metrics:
    """One registry of its own, so that tests and processes do not share."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self.looks = Counter(
            "change2task_looks", "Looks at resources, by kind and how they ended.", ["kind", "outcome"],
            registry=self.registry,
        )  # fmt: skip
        self.seconds = Histogram("change2task_look_seconds", "How long looks take.", ["kind"], registry=self.registry)
        self.queued = Gauge("change2task_queue", "Resources that wait for a look.", registry=self.registry)
        self.jobs = Gauge("change2task_jobs_running", "Jobs of ours that run.", registry=self.registry)
        self.waiting = Gauge("change2task_waiting_for_room", "Resources that wait for a cap.", registry=self.registry)
        self.leads = Gauge(
            "change2task_leads", "1 while this replica works, 0 while it stands by", registry=self.registry
        )
        self.deaf = Gauge(
            "change2task_watch_late_seconds", "For how long the watch has kept back what a list showed.",
            registry=self.registry,
        )  # fmt: skip
