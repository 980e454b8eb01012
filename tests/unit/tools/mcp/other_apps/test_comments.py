import json

import pytest

from assistant.tools.mcp.other_apps.comments import plain_json


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ('{"a": 1} // end', {"a": 1}),
        ('{/* one\ntwo */"a": [1, 2,],}', {"a": [1, 2]}),
        ('{"a": "http://b", "c": "/* no */", "d": ",]"}', {"a": "http://b", "c": "/* no */", "d": ",]"}),
        ('{"a": "\\"// no", // yes "\n"b": 2, // last\n}', {"a": '"// no', "b": 2}),
        ("[1 /* open", None),
        ('["open', None),
        ("[,]", []),
    ],
)
def test_comments_and_last_commas_go_and_texts_stay(text: str, meaning: object) -> None:
    plain = plain_json(text)
    assert len(plain) == len(text)
    assert plain.count("\n") == text.count("\n")
    if meaning is None:
        with pytest.raises(json.JSONDecodeError):
            json.loads(plain)
    else:
        assert json.loads(plain) == meaning
