"""Background work lets senders go first, but not for ever."""

from judging import tasks


def test_a_digest_waits_while_senders_are_busy(monkeypatch):
    slept = []
    monkeypatch.setattr(tasks.time, "sleep", slept.append)
    answers = iter([True, True, False])
    assert tasks.give_way(lambda: next(answers)) == sum(slept) == 2 * tasks.LOOKS


def test_it_does_not_wait_for_ever(monkeypatch):
    slept = []
    monkeypatch.setattr(tasks.time, "sleep", slept.append)
    assert tasks.give_way(lambda: True) >= tasks.GIVES_WAY
    assert len(slept) <= tasks.GIVES_WAY / tasks.LOOKS + 1


def test_it_does_not_wait_for_nobody(monkeypatch):
    monkeypatch.setattr(tasks.time, "sleep", None)
    assert tasks.give_way(lambda: False) == 0
