"""Formulas as text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.core.markdown.formula import formula_text


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        ("x^2", "x²"),
        (r"E = mc^2", "E = mc²"),
        (r"\frac{-b \pm \sqrt{b^2-4ac}}{2a}", "(-b ± √(b²-4ac))/2a"),
        (r"\sum_{i=1}^{n} i", "∑ᵢ₌₁ⁿ i"),
        (r"e^{-x^2}", "e^(-x²)"),
        (r"a_{n_k}", "a_(nₖ)"),
        (r"\left( \frac{1}{2} \right)^n", "( 1/2 )ⁿ"),
        (r"\text{거리} = \text{속력} \times \text{시간}", "거리 = 속력 × 시간"),
        (r"90^\circ", "90°"),
        (r"\boxed{42}", "42"),
        (r"\lim_{x \to 0} \frac{\sin x}{x} = 1", "lim_(x → 0) sinx/x = 1"),
        (r"H_2O", "H₂O"),
        (r"10^{-3}", "10⁻³"),
        (r"\sqrt[3]{8} \neq \alpha", "∛8 ≠ α"),
        (r"\operatorname{lcm}(a,b)", "lcm(a,b)"),
    ],
)
def test_a_formula_reads_as_it_is_meant(latex: str, text: str) -> None:
    assert formula_text(latex) == text


@pytest.mark.parametrize("latex", [r"\frac{", r"\begin{x}", "{{{{", r"\sqrt[", "^", "_{}", r"\unknown{x}"])
def test_a_broken_formula_is_shown_and_raises_nothing(latex: str) -> None:
    assert formula_text(latex).strip()


@given(st.text(alphabet=r"\{}[]^_$&%#~ab12 \frac\sqrt\left", max_size=60))
def test_no_formula_breaks_an_answer(latex: str) -> None:
    assert isinstance(formula_text(latex), str)
