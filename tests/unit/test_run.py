"""Where a run's files lie."""

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import example, given
from hypothesis import strategies as st

from rowgate.stages.run import Run, path_id

RUN = Run("users", "manual__2026-11-30T10:00:00+00:00", datetime(2026, 11, 30, 1, tzinfo=timezone(timedelta(hours=2))))
RUN_IDS = st.text(max_size=60)


def test_the_partition_is_the_runs_date_in_utc():
    assert RUN.dt == "2026-11-29"


def test_colons_and_pluses_are_written_as_bytes():
    assert path_id("manual__2026-11-30T10:00:00+00:00") == "manual____2026-11-30T10_3A00_3A00_2B00_3A00"


def test_every_zone_names_the_run_by_its_id_alone():
    assert RUN.folder("rejects") == "rejects/users/dt=2026-11-29/manual____2026-11-30T10_3A00_3A00_2B00_3A00"
    assert RUN.report == "quality/users/dt=2026-11-29/manual____2026-11-30T10_3A00_3A00_2B00_3A00.json"


@given(RUN_IDS, RUN_IDS)
@example("a_b", "a__b")
@example("a:b", "a_3Ab")
@example("_3A", "x_3A")
@example("", "x")
@example(".a", "x.a")
def test_two_run_ids_never_share_a_path(one, other):
    assert (path_id(one) == path_id(other)) == (one == other)


@given(RUN_IDS)
def test_a_path_is_made_of_plain_characters_and_never_hidden(run_id):
    written = path_id(run_id)
    assert written.isascii()
    assert written[0] not in "_."
    assert set(written) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")


def test_a_run_id_too_long_for_a_file_name_keeps_its_beginning_and_stays_its_own():
    one, other = "a" * 250, "a" * 249 + "b"
    assert path_id(one).startswith("a" * 120)
    assert path_id(one) != path_id(other)
    assert len(Run("users", one, datetime(2026, 1, 1, tzinfo=UTC)).manifest.rsplit("/", 1)[-1]) < 210
