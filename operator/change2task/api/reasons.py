"""Why something is as it is: a closed list, a sentence each, and the paper's class for every rejection.

Reasons are what people search for, alert on and count, so none is ever made up at run time; the docs table
is generated from here. Messages, which say what happened in one case, are left to whoever sets a reason.
"""

from __future__ import annotations

from enum import StrEnum


class RejectionClass(StrEnum):
    """The six terminal classes of the paper (figure 4c and section RQ1)."""

    ENVIRONMENT = "EnvironmentOrPreflight"
    ALIGNMENT = "BehaviourAlignment"
    CONSTRUCTION = "ExhaustedConstruction"
    LIFECYCLE = "Lifecycle"
    QUALIFICATION = "FinalQualification"
    HARNESS = "Harness"


class Reason(StrEnum):
    """Every reason a condition of ours can carry; the member's ``sentence`` explains it."""

    sentence: str
    rejection: RejectionClass | None

    def __new__(cls, value: str, sentence: str, rejection: RejectionClass | None = None) -> Reason:
        """A reason with its sentence and, where it ends a candidate or a base, its class."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.sentence = sentence
        member.rejection = rejection
        return member

    # progress
    PENDING = "Pending", "Nothing has been done yet."
    IN_PROGRESS = "InProgress", "Work is under way; the message names what is waited for."
    SUSPENDED = "Suspended", "Nothing new is started while spec.suspend is true."
    SUCCEEDED = "Succeeded", "This step ended as it should."
    COMPLETE = "Complete", "All work on this resource is done, whatever the verdict."
    SKIPPED = "Skipped", "An earlier step ended the matter, so this one was not needed."

    # infrastructure: never a verdict
    INFRASTRUCTURE = (
        "InfrastructureFault",
        "The machine or the cluster failed; run again once it is repaired.",
    )
    TOOLCHAIN_MISSING = (
        "ToolchainMissing",
        "This machine lacks the interpreter or tool that the environment asks for.",
    )
    QUEUED = "Queued", "Work may begin once others of the same base, namespace or cluster have ended."
    BASE_NOT_FOUND = "BaseNotFound", "There is no ModernBase of this name in the namespace yet; it is waited for."
    WAITING_FOR_BASE = "WaitingForBase", "The base is not ready yet; work begins when it is."
    BASE_REPLACED = (
        "BaseReplaced",
        "Another base now has the name that this verdict rests on; the verdict stands for the base it was made on.",
    )
    NOT_ISOLATED = (
        "NotIsolated",
        "Pods of this namespace can reach a network, so no repository code is run in it.",
    )
    FOREIGN_OBJECT = (
        "ForeignObject",
        "An object that is not ours has the name we need; it is neither adopted nor deleted.",
    )
    SPEC_INVALID = (
        "SpecInvalid",
        "The API server took a spec that nothing can be made of; the message says which field, and what it should be.",
    )
    RETRY_IGNORED = (
        "RetryIgnored",
        "A base that is ready is never made anew, whatever its annotation change2task.dev/retry says.",
    )
    CREDENTIALS_REFUSED = (
        "CredentialsRefused",
        "The repository or the registry did not take the credentials that we have; the message says whose they are.",
    )
    IMAGE_PULL_FAILED = "ImagePullFailed", "An image of a pod could not be pulled."
    UNSCHEDULABLE = "Unschedulable", "No node can take the pod; it is waited for."
    QUOTA_EXCEEDED = "QuotaExceeded", "A quota of the namespace forbids another pod; room is waited for."
    ADMISSION_REFUSED = (
        "AdmissionRefused",
        "The cluster's admission refuses our pods; the message says whose rule it is.",
    )
    OUT_OF_MEMORY = "OutOfMemory", "A container was ended for the memory it took."
    EVICTED = "Evicted", "The kubelet evicted the pod."
    PREEMPTED = "Preempted", "The pod had to make room for another."
    NODE_LOST = "NodeLost", "The pod's node is gone."
    DEADLINE_EXCEEDED = "DeadlineExceeded", "The pod ran longer than it may."
    START_FAILED = "StartFailed", "A container could not be started."
    RESULT_LOST = "ResultLost", "The pod ended and its result could not be read."
    CANCELLED = "Cancelled", "The run was stopped before this was finished; it goes on at the next run."

    # base
    RESOLVED = "Resolved", "The revision is found and frozen."
    BUILT = "Built", "The environment stands and holds no project code."
    DATED = "Dated", "Dependencies are those of the base's date, or held by a lock."
    UNDATED = (
        "Undated",
        "The package index keeps no upload dates and there is no lock; dependencies are today's newest.",
    )
    HEALTHY = "Healthy", "The checks ran on the base and enough of them pass on every repeat."
    MINED = "Mined", "Candidates of the base's own history are made, as spec.mining asks."
    REPOSITORY_UNREACHABLE = (
        "RepositoryUnreachable",
        "The repository could not be read at its address or its mirror.",
        RejectionClass.ENVIRONMENT,
    )
    EMPTY_REPOSITORY = "EmptyRepository", "The repository holds no commit.", RejectionClass.ENVIRONMENT
    NO_ELIGIBLE_REVISION = (
        "NoEligibleRevision",
        "None of the revisions tried in the order of appendix A.2 could serve as a base.",
        RejectionClass.ENVIRONMENT,
    )
    RECIPE_UNKNOWN = (
        "RecipeUnknown",
        "No environment recipe could be inferred from the repository; spec.environment must give one.",
        RejectionClass.ENVIRONMENT,
    )
    SETUP_FAILED = "SetupFailed", "A setup step ended with an error.", RejectionClass.ENVIRONMENT
    SETUP_STOPPED = (
        "SetupStopped",
        "A setup step was stopped at a limit of time, memory, processes or disk.",
        RejectionClass.ENVIRONMENT,
    )
    PROJECT_IN_ENVIRONMENT = (
        "ProjectInEnvironment",
        "Setup left copies of the project's own sources in the environment, where they would leak the answer.",
        RejectionClass.ENVIRONMENT,
    )
    NO_CHECKS = "NoChecks", "The check command ran no test.", RejectionClass.ENVIRONMENT
    NO_HEALTHY_CHECKS = (
        "NoHealthyChecks",
        "No check passes on every repeat on the base.",
        RejectionClass.ENVIRONMENT,
    )
    UNHEALTHY = "Unhealthy", "Too few of the base's checks pass on every repeat.", RejectionClass.ENVIRONMENT
    BASE_NOT_READY = (
        "BaseNotReady",
        "The base of this candidate did not become healthy.",
        RejectionClass.ENVIRONMENT,
    )

    # alignment
    ALIGNED = "Aligned", "The change is found, and checks of it pass on the healthy base."
    CHANGE_NOT_FOUND = (
        "ChangeNotFound",
        "The change named is not in the repository.",
        RejectionClass.ALIGNMENT,
    )
    CHANGE_NOT_IN_ANCESTRY = (
        "ChangeNotInAncestry",
        "The change is not an ancestor of the base, so the base does not hold it.",
        RejectionClass.ALIGNMENT,
    )
    EMPTY_CHANGE = "EmptyChange", "The change alters nothing.", RejectionClass.ALIGNMENT
    NO_SOURCE_CHANGE = (
        "NoSourceChange",
        "The change touches no permitted source file, so there is nothing to undo.",
        RejectionClass.ALIGNMENT,
    )
    BINARY_ONLY = "BinaryOnly", "All source the change touches is binary.", RejectionClass.ALIGNMENT
    BRANCH_MERGE = (
        "BranchMerge",
        "The commit merges a long-lived branch and mixes several changes.",
        RejectionClass.ALIGNMENT,
    )
    AMBIGUOUS_EVIDENCE = (
        "AmbiguousEvidence",
        "More than one change fits the reference given.",
        RejectionClass.ALIGNMENT,
    )
    STATEMENT_TOO_POOR = (
        "StatementTooPoor",
        "What is said of the change is too little to work from: nothing, or not the names that hidden checks use.",
        RejectionClass.ALIGNMENT,
    )
    CHANGE_REVERTED = "ChangeReverted", "A later commit took the change back.", RejectionClass.ALIGNMENT
    HISTORY_INCOMPLETE = (
        "HistoryIncomplete",
        "Objects of the change are missing from the mirror (shallow, partial or damaged).",
        RejectionClass.ALIGNMENT,
    )
    NO_MODERN_HOST = (
        "NoModernHost",
        "None of the files the change touched survives on the base.",
        RejectionClass.ALIGNMENT,
    )
    NO_TARGET_CHECKS = (
        "NoTargetChecks",
        "No check of the change exists on the base and passes there on every repeat.",
        RejectionClass.ALIGNMENT,
    )
    STATED_CHECK_UNUSABLE = (
        "StatedCheckUnusable",
        "A check of spec.checks is unknown on the base, does not pass there, or cannot be read there.",
        RejectionClass.ALIGNMENT,
    )
    NO_REGRESSION_CHECKS = (
        "NoRegressionChecks",
        "No check older than the change passes on the base on every repeat.",
        RejectionClass.ALIGNMENT,
    )
    FAMILY_NOT_APPLICABLE = (
        "FamilyNotApplicable",
        "The task family asked for needs evidence that this change does not give.",
        RejectionClass.ALIGNMENT,
    )

    # construction
    CONSTRUCTED = "Constructed", "A candidate task state was made."
    CONSTRUCTION_EXHAUSTED = (
        "ConstructionExhausted",
        "No strategy permitted could undo the change on the base.",
        RejectionClass.CONSTRUCTION,
    )
    DANGLING_REFERENCE = (
        "DanglingReference",
        "The candidate takes away a definition that code which stays still uses.",
        RejectionClass.CONSTRUCTION,
    )
    SYNTAX_BROKEN = "SyntaxBroken", "The candidate's files no longer parse.", RejectionClass.CONSTRUCTION

    # lifecycle
    VALIDATED = "Validated", "Checks pass, fail, pass over healthy, task and restored states."
    HEALTHY_STATE_FAILED = (
        "HealthyStateFailed",
        "A target or regression check did not pass on the healthy base.",
        RejectionClass.LIFECYCLE,
    )
    TARGET_DID_NOT_FAIL = (
        "TargetDidNotFail",
        "The target checks do not fail on the task state as required.",
        RejectionClass.LIFECYCLE,
    )
    REGRESSION_BROKE = (
        "RegressionBroke",
        "Checks older than the change fail on the task state.",
        RejectionClass.LIFECYCLE,
    )
    TASK_STATE_DOES_NOT_LOAD = (
        "TaskStateDoesNotLoad",
        "On the task state the project no longer builds, imports or collects.",
        RejectionClass.LIFECYCLE,
    )
    RESTORATION_FAILED = (
        "RestorationFailed",
        "A target or regression check does not pass on the restored state.",
        RejectionClass.LIFECYCLE,
    )
    UNSTABLE = "Unstable", "Repeats of one state disagree.", RejectionClass.LIFECYCLE

    # qualification
    ACCEPTED = "Accepted", "Every gate passed; the task is published."
    REJECTED = "Rejected", "A gate refused the candidate; its own reason says which."
    SCOPE_VIOLATION = (
        "ScopeViolation",
        "The task patch touches files that are not permitted.",
        RejectionClass.QUALIFICATION,
    )
    SCOPE_COLLAPSE = (
        "ScopeCollapse",
        "The restoration is far smaller than the source change.",
        RejectionClass.QUALIFICATION,
    )
    SCOPE_INFLATION = (
        "ScopeInflation",
        "The restoration is far larger than the source change.",
        RejectionClass.QUALIFICATION,
    )
    FIDELITY_TOO_LOW = (
        "FidelityTooLow",
        "The aggregate source change fidelity is below its threshold.",
        RejectionClass.QUALIFICATION,
    )
    REGRESSION_SURFACE_TOO_SMALL = (
        "RegressionSurfaceTooSmall",
        "Too few of the change's historical regression checks are held by the task.",
        RejectionClass.QUALIFICATION,
    )
    INVERSE_NOT_EXACT = (
        "InverseNotExact",
        "The restoration patch does not give the healthy base back byte for byte.",
        RejectionClass.QUALIFICATION,
    )
    ANSWER_VISIBLE = (
        "AnswerVisible",
        "A file that the change touched too and that is not undone still holds lines of the restoration.",
        RejectionClass.QUALIFICATION,
    )
    TARGETS_NOT_HIDABLE = (
        "TargetsNotHidable",
        "The target checks could not be taken out of the agent's tree.",
        RejectionClass.QUALIFICATION,
    )
    ORACLE_TOO_WEAK = (
        "OracleTooWeak",
        "Checks notice fewer parts of the restoration than spec.validation.oracle asks for.",
        RejectionClass.QUALIFICATION,
    )

    # harness
    HARNESS_CRASHED = (
        "HarnessCrashed",
        "The check harness crashed the same way twice on one state.",
        RejectionClass.HARNESS,
    )
    SCRIPT_WITHOUT_VERDICT = (
        "ScriptWithoutVerdict",
        "A script check ended with neither 0 nor 1, twice on one state.",
        RejectionClass.HARNESS,
    )
    RESULTS_FORGED = (
        "ResultsForged",
        "The planted canaries did not end as they must: somebody alters results.",
        RejectionClass.HARNESS,
    )


def reasons_table() -> tuple[tuple[str, str, str], ...]:
    """Rows (reason, paper's class or empty, sentence) for the generated reference page."""
    return tuple((r.value, r.rejection.value if r.rejection else "", r.sentence) for r in Reason)
