#!/usr/bin/env python3
"""Writes cron-next.txt and cron-differs.txt: firings by implementations that are not ours.

    python3 -m venv venv && venv/bin/pip install croniter==7.0.0 cronsim==2.8
    venv/bin/python make-cron-fixture.py

Three answer each question. The judge is below: it walks from minute to minute over Python's own zoneinfo and knows
nothing but the rules that crontab(5) and bgfetch.yaml(5) state. croniter and cronsim are the witnesses.

cron-next.txt has rows "expression TAB zone TAB from TAB next TAB witnesses": the first firing after a moment, and by
their first letters who agrees with the judge (`c` croniter, `s` cronsim, `-` nobody, which happens only where both
follow another rule or do not know the notation). Two thirds of the rows lie within a day of a clock change.

cron-differs.txt has rows "expression TAB zone TAB from TAB ours TAB whose TAB theirs TAB why", a few for every reason
for which a witness differs. A difference that has none of the reasons below ends this script with an error.

All dates are past, so that the zones' future laws do not matter; the table was made with tzdata 2025b.
"""
import pathlib
import random
import signal
import sys
from datetime import date, datetime, timedelta, timezone
from importlib.metadata import version
from zoneinfo import ZoneInfo

from croniter import croniter
from cronsim import CronSim

HERE = pathlib.Path(__file__).parent
UTC = timezone.utc
MINUTE, DAY, EPOCH = timedelta(minutes=1), timedelta(days=1), date(1970, 1, 1)
MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
WEEKDAYS = "sun mon tue wed thu fri sat".split()
FIRST, LAST = datetime(1996, 1, 1, tzinfo=UTC), datetime(2024, 12, 31, tzinfo=UTC)

ZONES = {
    "UTC": "no changes",
    "Asia/Kathmandu": "5:45 ahead",
    "Asia/Kolkata": "5:30 ahead",
    "Europe/Berlin": "changes at 01:00 UTC",
    "America/New_York": "changes at 2:00 local time",
    "Europe/Dublin": "its winter time is the daylight saving time, with a negative saving",
    "Australia/Lord_Howe": "changes by half an hour",
    "Antarctica/Troll": "changes by two hours",
    "Africa/Casablanca": "four changes a year around Ramadan, since 2018 with a negative saving",
    "Africa/Cairo": "in 2010 and 2014 off for Ramadan, changes at midnight, none from 2015 to 2022",
    "Asia/Gaza": "another rule nearly every year",
    "Asia/Amman": "changes at midnight, so that 00:00 does not exist",
    "Asia/Tehran": "half hours, changes at midnight, until 2022",
    "America/Santiago": "changes at midnight at 24:00, another rule nearly every year",
    "America/Havana": "changes at 0:00, back at 1:00",
    "America/St_Johns": "half hours, until 2011 changes at 0:01",
    "America/Sao_Paulo": "changes at 0:00 until 2019",
    "America/Caracas": "moved by half an hour for good in 2007 and 2016",
    "America/Nuuk": "changes on the eve, and moved for good in 2023",
    "Asia/Pyongyang": "moved by half an hour for good in 2015 and 2018",
    "Pacific/Chatham": "12:45 ahead, changes at 2:45",
    "Pacific/Apia": "left out 30 December 2011",
    "Pacific/Kiritimati": "14 hours ahead",
    "Pacific/Easter": "changes the evening before",
}


# ---- The judge ------------------------------------------------------------------------------------------------------

class Expression:
    """An expression as sets of numbers; ValueError for what is none."""

    def __init__(self, text):
        shorthands = {
            "@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0",
            "@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *"}
        minute, hour, self.day, month, self.weekday = shorthands.get(text, text).lower().split()
        self.minutes = self.numbers(minute, 0, 59)
        self.hours = self.numbers(hour, 0, 23)
        self.months = self.numbers(month, 1, 12, MONTHS)
        self.follows_elapsed_time = hour.startswith("*")
        self.known = {}

    @staticmethod
    def numbers(field, low, high, names=()):
        found = set()
        for item in field.split(","):
            base, _, step = item.partition("/")

            def number(word):
                return names.index(word) + low if word in names else int(word)
            if base == "*":
                first, last = low, high
            elif "-" in base:
                first, last = map(number, base.split("-"))
            else:
                first = number(base)
                last = high if step else first
            if last < first:  # a range may run past the end of its field
                last += high - low + 1
            found |= {low + (n - low) % (high - low + 1) for n in range(first, last + 1, int(step or 1))}
        return found

    def by_day_of_month(self, day):
        return day.day in self.numbers(self.day, 1, 31)

    def by_weekday(self, day):
        # 7 is Sunday too: a range up to it is read on a scale of eight, then folded.
        numbers = set()
        for item in self.weekday.split(","):
            base, _, step = item.partition("/")
            ends = [WEEKDAYS.index(w) if w in WEEKDAYS else int(w) for w in base.split("-")] if base != "*" else [0, 6]
            first, last = ends[0], ends[-1] if len(ends) > 1 or not step else 6
            if last < first:
                last += 7
            numbers |= {n % 7 for n in range(first, last + 1, int(step or 1))}
        return day.isoweekday() % 7 in numbers

    def on(self, number):
        """Whether a day, counted from 1970, is one of the days."""
        if number not in self.known:
            day = EPOCH + number * DAY
            both = [self.by_day_of_month(day), self.by_weekday(day)]
            either = not self.day.startswith("*") and not self.weekday.startswith("*")
            self.known[number] = day.month in self.months and (any(both) if either else all(both))
        return self.known[number]

    def at(self, local):
        """Whether clocks that show this, in minutes since 1970, show one of the times."""
        day, minute = divmod(local, 1440)
        return minute % 60 in self.minutes and minute // 60 in self.hours and self.on(day)


class Clock:
    """What the clocks of a zone show, and when they change."""

    def __init__(self, name):
        self.zone = ZoneInfo(name)
        self.changes = []  # (moment, offset before, offset after)
        at, step = FIRST - 90 * DAY, timedelta(hours=3)
        while at < LAST + 450 * DAY:
            if self.offset(at) != self.offset(at + step):
                moment = at
                while self.offset(moment + MINUTE) == self.offset(at):
                    moment += MINUTE
                self.changes.append((moment + MINUTE, self.offset(at), self.offset(moment + MINUTE)))
                at = moment + MINUTE
            else:
                at += step
        self.in_minutes = [(minutes(at), before // MINUTE, after // MINUTE) for at, before, after in self.changes]

    def near(self, moment, distance):
        return any(abs(change[0] - moment) <= distance for change in self.changes)

    def offset(self, moment):
        return moment.astimezone(self.zone).utcoffset()

    def next(self, expression, start):
        """The first firing after a moment, by walking from minute to minute; None if there is none in 400 days."""
        asked = minutes(start)  # whole minutes since 1970, seconds dropped
        # What clocks have shown before matters only near a change.
        minute = asked - 3 * 1440 if self.near(start, 4 * DAY) else asked
        coming = [(at, before, after) for at, before, after in self.in_minutes if at > minute]
        offset = self.offset(datetime.fromtimestamp(minute * 60, UTC)) // MINUTE
        gap_end, old_offset, furthest = minute, offset, minute + offset - 1
        while minute < asked + 400 * 1440:
            if coming and minute >= coming[0][0]:
                _, old_offset, offset = coming.pop(0)
                gap_end = minute + max(0, offset - old_offset)
            local = minute + offset
            if expression.follows_elapsed_time:
                # Every minute that clocks show; and after a gap the old clock counts on for as long as that was.
                fires = expression.at(local) or minute < gap_end and expression.at(minute + old_offset)
            else:
                # When clocks first reach a time, or pass it.
                fires = any(expression.at(passed) for passed in range(furthest + 1, local + 1))
            furthest = max(furthest, local)
            if fires and minute > asked:
                return datetime.fromtimestamp(minute * 60, UTC)
            minute += 1
            # A day on which nothing can happen need not be walked through where clocks do not change.
            quiet = 1440 - local % 1440 - 2
            if quiet > 0 and not expression.on(local // 1440) and not (
                    minute < gap_end + 1440 or coming and minute + quiet >= coming[0][0] - 1440) and furthest == local:
                minute, furthest = minute + quiet, furthest + quiet
        return None


def minutes(moment):
    return int(moment.timestamp()) // 60


# ---- The witnesses --------------------------------------------------------------------------------------------------

def by_croniter(text, start):
    # The "cron bug" is crontab(5): a day field with a star restricts the other one.
    return croniter(text, start, implement_cron_bug=True, max_years_between_matches=2).get_next(datetime)


def by_cronsim(text, start):
    return next(CronSim(text, start))


WITNESSES = {"croniter": by_croniter, "cronsim": by_cronsim}


def testimony(whose, text, start):
    """A witness's answer; None where it does not know the notation, does not find a day, or does not come to an end.

    The last happens to cronsim where clocks are set back over midnight.
    """
    def give_up(*_):
        raise TimeoutError
    signal.signal(signal.SIGALRM, give_up)
    signal.alarm(5)
    try:
        return WITNESSES[whose](text, start)
    except Exception:
        return None
    finally:
        signal.alarm(0)


def reason(text, whose, clock, start, ours, theirs):
    """Why a witness differs from the judge; None if that is not known, which is an error."""
    fields = text.split()
    if text.startswith("@"):
        fields = "0 * * * *".split() if text == "@hourly" else "0 0 * * *".split()
    hour = fields[1]
    low, high = min(ours, theirs, key=lambda m: m or LAST), max(ours, theirs, key=lambda m: m or LAST)
    changes = [c for c in clock.changes if start - 2 * DAY <= c[0] <= max(high, ours) + 2 * DAY]
    if whose == "croniter":
        if any(len(set(part.split("/")[0].split("-"))) == 1 and "-" in part for f in fields for part in f.split(",")):
            return "a range from a number to itself is that number, not everything"
    close = [c for c in changes if min(abs(c[0] - ours), abs(c[0] - theirs)) <= timedelta(hours=26)]
    if not close:
        return None
    back = any(c[2] < c[1] for c in close)
    forth = any(c[2] > c[1] for c in close)
    if hour.startswith("*"):
        if forth:
            return "an hour field with a star follows elapsed time: after a gap the old clock counts on"
        return "an hour field with a star follows elapsed time: both passes of an hour that comes twice count"
    if back and (theirs < ours or not forth):
        return "a named hour that comes twice fires the first time only"
    return "a named time that does not exist fires at the first moment after the gap, once"


# ---- Questions ------------------------------------------------------------------------------------------------------

def field(low, high, names=(), star=0.3):
    """A random field: mostly plain, now and then a list, a range, a step or a name."""
    def number():
        value = random.randint(low, high)
        return names[(value - low) % len(names)] if names and random.random() < 0.4 else str(value)

    kind = random.random()
    if kind < star:
        return "*"
    kind = (kind - star) / (1 - star)
    if kind < 0.4:
        return number()
    if kind < 0.6:
        return ",".join(number() for _ in range(random.randint(2, 4)))
    if kind < 0.75:
        return f"*/{random.randint(2, max(2, (high - low) // 2))}"
    if kind < 0.9:
        return "-".join(map(str, random.sample(range(low, (6 if names == WEEKDAYS else high) + 1), 2)))
    first, last = sorted(random.sample(range(low, high + 1), 2))
    return f"{first}-{last}/{random.randint(1, 5)}"


def days():
    """The three day fields: day of the month, month, weekday."""
    return field(1, 31, star=0.5), field(1, 12, MONTHS, star=0.7), field(0, 7, WEEKDAYS, star=0.5)


def any_expression():
    if random.random() < 0.03:
        return random.choice(["@hourly", "@daily", "@midnight", "@weekly", "@monthly", "@yearly", "@annually"])
    day, month, weekday = days()
    return " ".join([field(0, 59), field(0, 23), day, month, weekday])


def expression_at(change):
    """An expression that has something to do about the hours of a clock change."""
    if random.random() < 0.03:
        return random.choice(["@hourly", "@daily", "@midnight", "@weekly", "@monthly"])
    moment, before, after = change
    local = (moment + random.choice([before, after]) + timedelta(minutes=random.randint(-200, 200))).replace(tzinfo=None)
    h, m = local.hour, local.minute
    hour = random.choice([
        str(h), str(h), str(h), f"{h},{(h + 1) % 24}", f"{h},{(h + 3) % 24}", f"{h}-{min(23, h + 3)}", "*", "*", "*/2",
        "*/3", "*/5", f"{max(0, h - 2)}-{h}", "0", "1", "2", "3", f"{h % 2}-23/2", "22-4"])
    minute = random.choice([
        str(m), "0", "30", "15,45", "*/20", "*/7", "59", "1", f"{m // 2}-{m}", f"{m},{(m + 30) % 60}", "5/25", "*"])
    day, month, weekday = "*", "*", "*"
    kind = random.random()
    if kind < 0.1:
        weekday = WEEKDAYS[local.isoweekday() % 7]
    elif kind < 0.2:
        day = str(local.day)
    elif kind < 0.25:
        month = f"{MONTHS[local.month - 1]},{random.randint(1, 12)}"
    elif kind < 0.5:
        day, month, weekday = days()
    return " ".join([minute, hour, day, month, weekday])


def text_of(moment):
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def rows_and_differences(calm, changing):
    random.seed(20261121)
    clocks = {name: Clock(name) for name in ZONES}
    changes = {name: [c for c in clock.changes if FIRST < c[0] < LAST] for name, clock in clocks.items()}
    rows, differences, unexplained, asked = [], {}, [], set()
    while len(rows) < calm + changing:
        if len(rows) < calm:
            name = random.choice(list(ZONES))
            cron, start = any_expression(), FIRST + timedelta(seconds=random.randrange(28 * 365 * 86400))
        else:
            name = random.choice([name for name in ZONES if changes[name]])
            change = random.choice(changes[name])
            cron, start = expression_at(change), change[0] + timedelta(seconds=random.randint(-26 * 3600, 4 * 3600))
        if random.random() < 0.5:
            start = start.replace(second=0)
        if (cron, name, start) in asked:
            continue
        asked.add((cron, name, start))
        ours = clocks[name].next(Expression(cron), start)
        if ours is None or ours > LAST:
            continue
        witnesses = ""
        for whose in WITNESSES:
            theirs = testimony(whose, cron, start.astimezone(clocks[name].zone))
            if theirs is None:
                continue
            theirs = theirs.astimezone(UTC)
            if theirs == ours:
                witnesses += "c" if whose == "croniter" else "s"
                continue
            why = reason(cron, whose, clocks[name], start, ours, theirs)
            row = "\t".join([cron, name, text_of(start), text_of(ours), whose, text_of(theirs)])
            if why is None:
                unexplained.append(row)
                continue
            differences.setdefault((why, whose), []).append(row + "\t" + why)
        rows.append("\t".join([cron, name, text_of(start), text_of(ours), witnesses or "-"]))
    if unexplained:
        sys.exit("differences without a reason:\n" + "\n".join(unexplained))
    return rows, differences


rows, differences = rows_and_differences(calm=2000, changing=4000)
(HERE / "cron-next.txt").write_text("\n".join(rows) + "\n")
(HERE / "cron-differs.txt").write_text(
    "\n".join(row for key in sorted(differences) for row in sorted(differences[key], key=len)[:4]) + "\n")
print(f"croniter {version('croniter')}, cronsim {version('cronsim')}: {len(rows)} rows, nobody agrees on "
      f"{sum(row.endswith('-') for row in rows)}, both on {sum(row.endswith('cs') for row in rows)}")
for (why, whose), found in sorted(differences.items()):
    print(f"{len(found):5} {whose}: {why}")
