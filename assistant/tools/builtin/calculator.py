"""Exact arithmetic, which language models get wrong."""

import ast
import math
import operator
from collections.abc import Callable
from decimal import Decimal, DivisionByZero, InvalidOperation, Overflow, localcontext

from assistant.core.permissions import Category
from assistant.llm.backend import Evidence
from assistant.tools.signature import tool_of
from assistant.tools.tool import Baseline, Tool, ToolError

_MAX_LENGTH = 500
_MAX_EXPONENT = 10_000
"""Largest exponent of a power. A larger one takes long to calculate and gives more digits than anyone reads."""
_PRECISION = 50
"""Decimal digits of intermediate results."""
_SHOWN_DIGITS = 15
"""Significant digits of a result that is not an integer."""

Number = Decimal

_BINARY: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: lambda a, b: (a / b).to_integral_value(rounding="ROUND_FLOOR"),
    ast.Mod: lambda a, b: a - b * (a / b).to_integral_value(rounding="ROUND_FLOOR"),
    ast.Pow: lambda a, b: _power(a, b),
}
_UNARY: dict[type[ast.unaryop], Callable[[Number], Number]] = {ast.UAdd: operator.pos, ast.USub: operator.neg}
_CONSTANTS = {
    "pi": Decimal("3.14159265358979323846264338327950288"),
    "e": Decimal("2.71828182845904523536028747135266"),
}


def _by_float(function: Callable[[float], float]) -> Callable[[Number], Number]:
    return lambda value: Decimal(repr(function(float(value))))


_FUNCTIONS: dict[str, Callable[[Number], Number]] = {
    "sqrt": lambda value: value.sqrt(),
    "abs": abs,
    "round": lambda value: value.to_integral_value(rounding="ROUND_HALF_UP"),
    "floor": lambda value: value.to_integral_value(rounding="ROUND_FLOOR"),
    "ceil": lambda value: value.to_integral_value(rounding="ROUND_CEILING"),
    "ln": lambda value: value.ln(),
    "log10": lambda value: value.log10(),
    "sin": _by_float(math.sin),
    "cos": _by_float(math.cos),
    "tan": _by_float(math.tan),
}


def calculator_tools() -> tuple[Tool, ...]:
    """The tool that calculates."""

    async def calculate(expression: str) -> str:
        """Calculates an arithmetic expression exactly: + - * / // % **, parentheses, sqrt, abs, round, ln, sin, pi.

        Args:
            expression: for example (1200 + 350) * 1.1 or 17 ** 2 or sqrt(2).
        """
        return f"{expression.strip()} = {evaluate(expression)}"

    return (
        tool_of(
            calculate, category=Category.SAFE, idempotent=True, evidence=Evidence(figures=True), baseline=Baseline.ALL
        ),
    )


def evaluate(expression: str) -> str:
    """The value of an arithmetic expression, as digits.

    The text is parsed and only arithmetic is evaluated. No code in it is executed.

    Raises:
        ToolError: the text is not arithmetic, or the expression has no value.
    """
    if len(expression) > _MAX_LENGTH:
        raise ToolError("tool_reason.too_long", name="expression", most=_MAX_LENGTH)
    plain = expression.strip().replace("^", "**").replace("×", "*").replace("÷", "/").replace("−", "-")
    try:
        tree = ast.parse(_without_thousands(plain), mode="eval")
        with localcontext(prec=_PRECISION) as context:
            context.traps[Overflow] = True
            return _shown(_value(tree.body))
    except (DivisionByZero, ZeroDivisionError):
        raise ToolError("tool_reason.division_by_zero") from None
    except (SyntaxError, RecursionError, MemoryError, ValueError) as error:
        raise ToolError("tool_reason.no_arithmetic", expression=expression) from error
    except (InvalidOperation, Overflow, OverflowError) as error:
        raise ToolError("tool_reason.no_value", expression=expression) from error


def _without_thousands(text: str) -> str:
    parts = text.split(",")
    whole = parts[0]
    for part in parts[1:]:
        # The comma in 1,200 groups digits. Any other comma stays in the text, which is then refused.
        group = part[:3].isdigit() and not part[3:4].isdigit() and whole[-1:].isdigit()
        whole += part if group else f",{part}"
    return whole


def _value(node: ast.expr) -> Number:
    match node:
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int() | float() as number):
            return Decimal(str(number))
        case ast.Name(id=name) if name in _CONSTANTS:
            return _CONSTANTS[name]
        case ast.BinOp(op=operation) if type(operation) in _BINARY:
            return _BINARY[type(operation)](_value(node.left), _value(node.right))
        case ast.UnaryOp(op=sign) if type(sign) in _UNARY:
            return _UNARY[type(sign)](_value(node.operand))
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in _FUNCTIONS:
            return _FUNCTIONS[name](_value(argument))
        case _:
            pass
    raise ToolError("tool_reason.no_arithmetic", expression=ast.unparse(node))


def _power(base: Number, exponent: Number) -> Number:
    if abs(exponent) > _MAX_EXPONENT:
        raise ToolError("tool_reason.no_value", expression=f"{base}^{exponent}")
    return base**exponent


def _shown(value: Number) -> str:
    if value == value.to_integral_value() and abs(value) < Decimal(10) ** _PRECISION:
        return f"{value.to_integral_value():f}"
    rounded = value.normalize() if abs(value.adjusted()) > _SHOWN_DIGITS else round(value, _SHOWN_DIGITS).normalize()
    with localcontext(prec=_SHOWN_DIGITS):
        rounded = (+rounded).normalize()
    return f"{rounded:f}" if -_SHOWN_DIGITS < rounded.adjusted() < _PRECISION else f"{rounded:e}"
