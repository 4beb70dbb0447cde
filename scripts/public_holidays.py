"""Writes domain/data/holidays.csv: public holidays of the countries where vehicles are formed, for ten years.

    pip install holidays && python3 scripts/public_holidays.py

The library `holidays` (MIT) computes them. Dates by a moon calendar that are not announced yet are estimates; super admins
correct them in the settings of the portal.
"""
import csv
import pathlib

import holidays

COUNTRIES = ("AE", "JP", "SG", "TH", "US")
YEARS = range(2026, 2036)
ESTIMATED = " (estimated)"
TARGET = pathlib.Path(__file__).parent.parent / "domain" / "data" / "holidays.csv"


def rows():
    for country in COUNTRIES:
        found = holidays.country_holidays(country, years=YEARS, language="en_US")
        for day, name in sorted(found.items()):
            if day.year in YEARS:
                names = name.split("; ")
                estimated = all(one.endswith(ESTIMATED) for one in names)
                plain = ", ".join(one.removesuffix(ESTIMATED) for one in names)
                yield country, day.isoformat(), plain, "estimate" if estimated else ""


with TARGET.open("w", newline="", encoding="utf-8") as file:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(("country", "day", "name", "note"))
    writer.writerows(rows())
print(f"{TARGET}: {sum(1 for _ in TARGET.open(encoding='utf-8')) - 1} holidays")
