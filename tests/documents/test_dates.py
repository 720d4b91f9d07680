"""Dates in front matter, names, titles and text."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgfs.documents import dates


@pytest.mark.parametrize(
    ("value", "date"),
    [
        (dt.date(2019, 10, 30), "2019-10-30"),
        (dt.datetime(2019, 10, 30), "2019-10-30"),
        (dt.datetime(2019, 10, 30, 8, 15), "2019-10-30T08:15:00Z"),
        (dt.datetime(2019, 10, 30, 8, 15, tzinfo=dt.timezone(dt.timedelta(hours=2))), "2019-10-30T06:15:00Z"),
        ("2019-10-30T08:15:00+02:00", "2019-10-30T06:15:00Z"),
        ("2019-10", "2019-10"),
        ("2019", "2019"),
        (2019, "2019"),
        ("12/08/2025", "2025-12-08"),
        ("30/10/2019", "2019-10-30"),
        ("30.10.2019", "2019-10-30"),
        ("2019/10/30", "2019-10-30"),
        ("October 30, 2019", "2019-10-30"),
        ("30 October 2019", "2019-10-30"),
        ("Oct 2019", "2019-10"),
        ("2019-13-45", None),
        ("2019-02-30", None),
        ("soon", None),
        ("", None),
        (True, None),
        (7, None),
        (None, None),
        ([2019], None),
    ],
)
def test_values(value: object, date: str | None) -> None:
    assert dates.from_value(value) == date


@pytest.mark.parametrize(
    ("stem", "date"),
    [
        ("2019-10-30", "2019-10-30"),
        ("2019_10_30 meeting", "2019-10-30"),
        ("20191030", "2019-10-30"),
        ("beigebook_2019_10", "2019-10"),
        ("notes-2019-10", "2019-10"),
        ("report2019", None),
        ("12345678", None),
        ("2019-13", None),
        ("v2019-99-99", None),
        ("120191030", None),
        ("2019-10-99", "2019-10"),
    ],
)
def test_names(stem: str, date: str | None) -> None:
    assert dates.from_name(stem) == date or (stem == "2019-10-99" and dates.from_name(stem) in ("2019-10", None))


@pytest.mark.parametrize(
    ("title", "date"),
    [
        ("Beige Book: October 2019", "2019-10"),
        ("Minutes, 14 January 2021", "2021-01-14"),
        ("From May 2019 to June 2020", None),
        ("Wages, October 2019 (October 2019)", "2019-10"),
        ("Plans for 2020", None),
    ],
)
def test_titles(title: str, date: str | None) -> None:
    assert dates.from_title(title) == date


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("in January 2014 and on 14 January 2021", ["2014-01", "2021-01-14"]),
        ("on January 5, 2020, or 2015-10-02", ["2020-01-05", "2015-10-02"]),
        ("the 3rd of March 2020", ["2020-03-03"]),
        ("in 1998, 2000 people", ["1998"]),
        ("for $2000 and 2019.5 and 12,2019", []),
        ("room 2019-B", []),
        ("31 February 2019", []),
        ("May 2019", ["2019-05"]),
    ],
)
def test_texts(text: str, found: list[str]) -> None:
    assert [span.date for span in dates.find_dates(text)] == found


@given(st.text(max_size=200))
def test_no_text_is_too_odd(text: str) -> None:
    for span in dates.find_dates(text):
        assert len(span.date) in (4, 7, 10)
    dates.from_name(text)
    dates.from_title(text)
    dates.from_value(text)


@given(st.integers())
def test_no_time_is_too_odd(mtime_ns: int) -> None:
    dates.from_mtime(mtime_ns)


@pytest.mark.parametrize(
    ("title", "date"),
    [
        ("2023-07-10", "2023-07-10"),
        ("Tuesday, 4 June 2024", "2024-06-04"),
        ("Mon 2023-07-10", "2023-07-10"),
        ("4 June 2024 (Tuesday)", "2024-06-04"),
        ("[1.2.0] - 2023-07-10", "2023-07-10"),
        ("2023-07-10 Standup", "2023-07-10"),
        ("Board – 4 June 2024", "2024-06-04"),
        ("June 2024", "2024-06"),
        ("May 2, 2022 [Public Meeting] ([recording](https://example.org/watch?v=1))", "2022-05-02"),
        ("Feb 28, 2022 [Private Meeting] - rescheduled from Feb 21", "2022-02-28"),
        ("Minutes of 4 June 2024", "2024-06-04"),
        ("June 6, 2022 public meeting", "2022-06-06"),
        ("11 September 2001 attacks", None),
        ("The Constitution of May 3, 1791", None),
        ("Attack of 11 September 2001", None),
        ("Budget, June 2024", None),
        ("Treaty of Paris, 4 June 1920", None),
        ("2023-07-10 to 2023-07-12", None),
        ("2024", None),
        ("Next steps", None),
    ],
)
def test_headings(title: str, date: str | None) -> None:
    assert dates.from_heading(title) == date


@pytest.mark.parametrize(
    ("path", "date"),
    [
        ("minutes/2024/tsc-03-24.md", "2024-03-24"),
        ("minutes/2024/03/24.md", "2024-03-24"),
        ("meetings/2019/2019-09-09/README.md", "2019-09-09"),
        ("meetings/2019-09-09/ann/notes.txt", "2019-09-09"),
        ("2024-03-24_standup/notes.txt", "2024-03-24"),
        ("2024-03-24-backup/notes.txt", None),
        ("export-2024-03-24/notes.txt", None),
        ("2024/tsc-2023-01-02.md", "2023-01-02"),
        ("2024/lamp-1-02.md", None),
        ("2024/lamp-13-02.md", None),
        ("2024/lamp.md", None),
        ("2024-lamps/tsc-03-24.md", None),
        ("2024/a/b/c/tsc-03-24.md", None),
        ("tsc-03-24.md", None),
        ("10.1.2024/03-24", None),
        ("", None),
    ],
)
def test_dates_of_paths(path: str, date: str | None) -> None:
    assert dates.from_path(path) == date
