"""Writes the ten layouts as the house sends them, for the stand-in house of the tests: from games/*.toml, and ways, odds and
edges from `taisai odds --json`. The program is named by TAISAI, or found on the path."""

import json
import os
import pathlib
import subprocess
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT = pathlib.Path(__file__).resolve().parents[1] / "mock" / "layouts"
TAISAI = os.environ.get("TAISAI", "taisai")
LANGUAGES = ("en", "zh-Hans", "zh-Hant")
WORDS = {
    "en": ("One", "Two", "Three", "Four", "Five", "Six"),
    "zh-Hans": tuple("一二三四五六"),
    "zh-Hant": tuple("一二三四五六"),
}
AND = {"en": " and ", "zh-Hans": "与", "zh-Hant": "與"}
TRIPLE_LOSES = {"small", "big", "odd", "even"}
RANGES = {"small": [4, 10], "big": [11, 17]}


def numbers(box):
    kind, _, rest = box.partition(":")
    return [rest] if kind == "sum" else list(rest)


def label(game, box, language):
    text = game["labels"][box.partition(":")[0]][language]
    told = numbers(box)
    word = WORDS[language][int(told[0]) - 1] if told and int(told[0]) <= 6 else ""
    return text.format(word=word, numbers=" ".join(told), **{"and": AND[language].join(told)})


def areas(felt):
    for block in felt["blocks"]:
        x, y, width, height = block["at"]
        down = len(block["rows"])
        for row, boxes in enumerate(block["rows"]):
            across = len(boxes)
            for column, box in enumerate(boxes):
                if box:
                    left, top = x + width * column // across, y + height * row // down
                    right, foot = x + width * (column + 1) // across, y + height * (row + 1) // down
                    yield {"box": box, "x": left, "y": top, "width": right - left, "height": foot - top}


def view(game, layout):
    name = f"{game['id']}@{game['version']}"
    told = subprocess.run(
        [TAISAI, "odds", "--game", name, "--layout", layout["id"], "--json"], check=True, capture_output=True, text=True
    )
    odds = json.loads(told.stdout)
    felt = layout["felt"]
    boxes = [
        {
            "box": of["box"],
            "label": {language: label(game, of["box"], language) for language in LANGUAGES},
            "pays": of["pays"],
            "ways": of["ways"],
            "edge": of["edge"],
            "range": RANGES.get(of["box"]),
            "loses_to_triple": of["box"] in TRIPLE_LOSES,
        }
        for of in odds
    ]
    names = [of["box"] for of in odds]
    captions = []
    for caption in felt.get("captions", []):
        x, y, width, height = caption["at"]
        of = [box for box in names if box.partition(":")[0] == caption["of"]]
        captions.append({"of": of, "x": x, "y": y, "width": width, "height": height})
    return {
        "game": name,
        "title": game["title"],
        "approved": str(game["approved"]),
        "layout": layout["id"],
        "pay_table": layout["title"],
        "width": felt["size"][0],
        "height": felt["size"][1],
        "chinese": felt["chinese"],
        "has_terminals": game["station"] == "player-terminals",
        "areas": list(areas(felt)),
        "captions": captions,
        "boxes": boxes,
    }


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    for path in sorted((ROOT / "games").glob("*.toml")):
        game = tomllib.loads(path.read_text())
        for layout in game["layouts"]:
            drawn = view(game, layout)
            (OUT / f"{game['id']}-{layout['id']}.json").write_text(json.dumps(drawn, ensure_ascii=False, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
