#!/usr/bin/env python3
"""Writes cron-next.txt and cron-differs.txt, the firings that other implementations give.

    python3 -m venv venv && venv/bin/pip install croniter python-dateutil && venv/bin/python make-cron-fixture.py

cron-next.txt has rows "expression TAB zone TAB from TAB next": the first firing after a moment, by croniter or, for
what croniter lacks (L-3, LW), by dateutil.rrule. Rows near a clock change are among them where both follow the same
rule: an hour that is named, and clocks that jump forward. Others, and what else differs, have examples in
cron-differs.txt, "expression TAB zone TAB from TAB ours TAB croniter's TAB why".
Dates are past ones, so that the zones' future laws do not matter.
"""
import pathlib
import random
import re
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from croniter import croniter
from dateutil import rrule

HERE = pathlib.Path(__file__).parent
ZONES = [
    "UTC", "Europe/Berlin", "Europe/Dublin", "America/New_York", "America/Sao_Paulo", "America/St_Johns",
    "Asia/Kathmandu", "Asia/Kolkata", "Australia/Lord_Howe", "Africa/Casablanca", "Africa/Lagos", "Pacific/Apia",
    "Antarctica/Troll", "Asia/Tehran",
]
MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
WEEKDAYS = "sun mon tue wed thu fri sat".split()

# Rows that differ, with our answer and the reason.
DIFFERS_ON_PURPOSE = [
    ("30 2 * * *", "Europe/Berlin", "2024-10-27T00:30:00Z", "2024-10-28T01:30:00Z",
     "a time that comes twice fires the first time only"),
    ("45 1 * * *", "Australia/Lord_Howe", "2024-04-06T14:45:00Z", "2024-04-07T15:15:00Z",
     "a time that comes twice fires the first time only"),
    ("*/20 1 * * *", "Antarctica/Troll", "2023-10-28T23:40:00Z", "2023-10-30T01:00:00Z",
     "01:00 to 01:40 came before clocks were set back from 03:00 to 01:00"),
    ("15 */2 * * *", "Europe/Berlin", "2024-03-30T23:15:00Z", "2024-03-31T01:15:00Z",
     "hours of a star follow elapsed time, so 02:15 comes two hours after 00:15"),
    ("0 0 29 * 2#5", "UTC", "2010-06-30T00:00:00Z", "2010-07-29T00:00:00Z",
     "neither day field begins with a star, so one of them is enough"),
    ("0 0 13-31 * 6L", "UTC", "1998-12-01T00:00:00Z", "1998-12-13T00:00:00Z",
     "neither day field begins with a star, so one of them is enough"),
    ("0 0 11-11 * *", "UTC", "2010-06-30T00:00:00Z", "2010-07-11T00:00:00Z",
     "a range from a number to itself is that number, not everything"),
]


def field(low, high, names=()):
    """A random field: mostly plain, now and then a list, a range, a step or a name."""
    def number():
        value = random.randint(low, high)
        if names and random.random() < 0.4:
            return names[(value - low) % len(names)]
        return str(value)

    kind = random.random()
    if kind < 0.3:
        return "*"
    if kind < 0.55:
        return number()
    if kind < 0.7:
        return ",".join(number() for _ in range(random.randint(2, 4)))
    if kind < 0.8:
        return f"*/{random.randint(2, max(2, (high - low) // 2))}"
    if kind < 0.9:
        first, last = random.sample(range(low, (6 if names == WEEKDAYS else high) + 1), 2)
        return f"{first}-{last}"
    first, last = sorted(random.sample(range(low, high + 1), 2))
    return f"{first}-{last}/{random.randint(1, 5)}"


def expression():
    day, weekday = field(1, 31), field(0, 7, WEEKDAYS)
    special = random.random()
    if special < 0.04:
        day = "L"
    elif special < 0.08:
        day, weekday = f"{random.randint(1, 28)}W", "*"
    elif special < 0.12:
        day, weekday = "*", f"{random.randint(0, 6)}#{random.randint(1, 5)}"
    elif special < 0.16:
        day, weekday = "*", f"{random.randint(0, 6)}L"
    elif special < 0.2:
        day, weekday = random.choice(["LW", f"L-{random.randint(1, 20)}"]), "*"
    elif special < 0.22:
        return random.choice(["@hourly", "@daily", "@midnight", "@weekly", "@monthly", "@yearly", "@annually"])
    return " ".join([field(0, 59), field(0, 23), day, field(1, 12, MONTHS), weekday])


def with_rrule(text, start):
    """The next firing of an expression with L-n or LW, which croniter does not know."""
    minute, hour, day, month, _ = text.split()
    expanded, _ = croniter.expand(" ".join([minute, hour, "1", month, "*"]))
    minutes, hours, _, months, _ = (
        range(first, last + 1) if field == ["*"] else sorted(field)
        for field, (first, last) in zip(expanded, [(0, 59), (0, 23), (1, 31), (1, 12), (0, 6)]))
    local = start.replace(tzinfo=None)
    begin = local.replace(day=1, hour=0, minute=0, second=0)
    which = {"byweekday": range(5), "bysetpos": -1} if day == "LW" else {"bymonthday": -1 - int(day[2:])}
    for date in rrule.rrule(rrule.MONTHLY, dtstart=begin, count=60, bymonth=list(months), **which):
        for hour in hours:
            for minute in minutes:
                moment = date.replace(hour=hour, minute=minute)
                if moment > local:
                    return moment.replace(tzinfo=start.tzinfo)
    return None


def following(text, start):
    """The first firing after a moment, by an implementation that is not ours."""
    if re.search(r"\bL-\d|LW", text):
        return with_rrule(text, start)
    # Ours is 5L where croniter has L5. The cron bug is crontab(5): a day field with a star restricts the other one.
    text = re.sub(r"\b([0-6])L$", r"L\1", text)
    return croniter(text, start, implement_cron_bug=True, max_years_between_matches=50).get_next(datetime)


def is_calm(moment):
    """Whether clocks do not change within a day and a half, wherever the search comes by."""
    zone = moment.tzinfo
    utc = moment.astimezone(timezone.utc)
    offsets = {(utc + timedelta(hours=h)).astimezone(zone).utcoffset() for h in range(-36, 37)}
    return len(offsets) == 1


def text(moment):
    return moment.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def agreeing_rows(count):
    rows = []
    while len(rows) < count:
        cron, zone = expression(), random.choice(ZONES)
        start = datetime(1996, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=random.randrange(28 * 365 * 86400))
        start = start.astimezone(ZoneInfo(zone))
        try:
            found = following(cron, start)
        except Exception:  # what croniter refuses or does not find says nothing about ours
            continue
        if found is None or found.year > 2024 or not is_calm(start) or not is_calm(found):
            continue
        rows.append("\t".join([cron, zone, text(start), text(found)]))
    return rows


def gap_rows(count):
    """Times in the night before clocks jump forward; croniter too fires at the end of the gap."""
    rows = []
    while len(rows) < count:
        name = random.choice([name for name in ZONES if name not in ("UTC", "Asia/Kathmandu", "Asia/Kolkata")])
        zone = ZoneInfo(name)
        hour = datetime(random.randint(1996, 2023), 1, 1, tzinfo=timezone.utc)
        jumps = [at for at in (hour + timedelta(minutes=30 * n) for n in range(365 * 48))
                 if at.astimezone(zone).utcoffset() > (at - timedelta(minutes=30)).astimezone(zone).utcoffset()]
        if not jumps:
            continue
        for _ in range(10):
            cron = f"{random.choice(['0', '30', '15,45', '*/20', '59'])} {random.choice(['0', '1', '2', '3', '0-3', '1,2'])} * * *"
            start = (jumps[0] - timedelta(minutes=random.randint(1, 600))).astimezone(zone)
            rows.append("\t".join([cron, name, text(start), text(following(cron, start))]))
    return rows


def differing_rows():
    for cron, zone, start, ours, why in DIFFERS_ON_PURPOSE:
        begin = datetime.strptime(start, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)
        theirs = text(following(cron, begin.astimezone(ZoneInfo(zone))))
        assert theirs != ours, f"croniter gives the same for {cron} in {zone} after {start}"
        yield "\t".join([cron, zone, start, ours, theirs, why])


random.seed(20261121)
(HERE / "cron-next.txt").write_text("\n".join(agreeing_rows(1850) + gap_rows(150)) + "\n")
(HERE / "cron-differs.txt").write_text("\n".join(differing_rows()) + "\n")
