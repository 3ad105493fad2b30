from masis.access.api_key import new_token
from masis.access.audit_log import AuditLog
from masis.settings import Settings
from masis.types import LOCAL, Caller

ADA = Caller("Ada", "0123456789ab")


def test_what_was_done_newest_first(settings: Settings) -> None:
    log = AuditLog(settings)
    log.record(LOCAL, "workspace.create", "acme")
    log.record(ADA, "document.delete", "acme", "doc-1", "report.pdf")
    newest, oldest = log.entries()
    assert (newest.who, newest.key_id, newest.action) == ("Ada", "0123456789ab", "document.delete")
    assert (newest.workspace_id, newest.subject, newest.detail) == ("acme", "doc-1", "report.pdf")
    assert (oldest.who, oldest.key_id, oldest.subject, oldest.detail) == ("local", None, None, None)
    assert oldest.at <= newest.at


def test_pages_follow_each_other(settings: Settings) -> None:
    log = AuditLog(settings)
    for number in range(7):
        log.record(ADA, "run.ask", "acme", str(number))
    read, before = [], None
    while page := log.entries(limit=3, before=before):
        read += [entry.subject for entry in page]
        before = page[-1].entry_id
    assert read == ["6", "5", "4", "3", "2", "1", "0"]


def test_each_workspace_is_read_alone(settings: Settings) -> None:
    log = AuditLog(settings)
    for workspace in ("acme", "zenith", "other", None):
        log.record(ADA, "something", workspace)
    assert [entry.workspace_id for entry in log.entries("zenith")] == ["zenith"]
    assert [entry.workspace_id for entry in log.entries(within=["acme", "zenith"])] == ["zenith", "acme"]
    assert log.entries("other", within=["acme"]) == []
    assert log.entries(within=[]) == []
    assert len(log.entries()) == 4


def test_a_token_is_not_written_down(settings: Settings) -> None:
    log, token = AuditLog(settings), new_token()
    log.record(ADA, "key.create", "acme", token, f"made {token}")
    assert token[-64:] not in repr(log.entries())


def test_reading_makes_nothing(settings: Settings) -> None:
    assert AuditLog(settings).entries() == []
    assert not settings.home.exists()
