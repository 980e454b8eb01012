import pytest

from assistant.tools.builtin.calculator import calculator_tools, evaluate
from assistant.tools.tool import ToolError
from tests.fakes.asking.served_call import served_call


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1 + 2 * 3", "7"),
        ("(1200 + 350) * 1.1", "1705"),
        ("0.1 + 0.2", "0.3"),
        ("1,234,567 * 2", "2469134"),
        ("2 ^ 10", "1024"),
        ("10 ÷ 4 − 1", "1.5"),
        ("-7 // 2", "-4"),
        ("-7 % 3", "2"),
        ("1 / 3", "0.333333333333333"),
        ("sqrt(2)", "1.4142135623731"),
        ("round(2.5) + abs(-1)", "4"),
        ("2 ** 100", "1267650600228229401496703205376"),
        ("2 ** 0.5", "1.4142135623731"),
        ("10 ** 60", "1e+60"),
        ("1 / 10 ** 20", "1e-20"),
        ("sin(0)", "0"),
        ("pi", "3.14159265358979"),
    ],
)
def test_arithmetic_is_exact(expression: str, value: str) -> None:
    assert evaluate(expression) == value


@pytest.mark.parametrize(
    "expression",
    [
        "__import__('os').system('true')",
        "(1).__class__",
        "open('x')",
        "[1] * 3",
        "'a' * 3",
        "True + 1",
        "1 +",
        "",
        "1, 2",
        "1 / 0",
        "5 % 0",
        "sqrt(-1)",
        "9 ** 9 ** 9 ** 9",
        "9 ** 99999",
        "sqrt(1, 2)",
        "(" * 300 + ")" * 300,
        "1" * 501,
        "x + 1",
        "sin(1e400)",
        "(-8) ** 0.5",
    ],
)
def test_what_is_not_arithmetic_or_has_no_value_is_refused(expression: str) -> None:
    with pytest.raises(ToolError):
        evaluate(expression)


async def test_the_tool_shows_the_question_with_the_answer() -> None:
    (calculate,) = calculator_tools()
    assert await calculate.run({"expression": " 17 ** 2 "}, served_call()) == "17 ** 2 = 289"
