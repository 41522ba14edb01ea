"""Forms that values have, as patterns in RE2 of the whole value."""

FORMS: dict[str, str] = {
    "integer": r"[+-]?[0-9]+",
    "decimal": r"[+-]?[0-9]+(\.[0-9]+)?",
    "no_leading_zero": r"[+-]?(0|[1-9][0-9]*)(\.[0-9]+)?",
    "date": r"[0-9]{4}-[0-9]{2}-[0-9]{2}",
    "timestamp": r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,6})?)?"
    r"(Z|[+-](0[0-9]|1[0-3]):[0-5][0-9]|[+-]14:00)?",
    "no_offset": r".*[^-+][^-+][^-+][^-+][^-+][^-+]",
    "boolean": r"(?i:true|false)",
    "digits": r"[0-9]+",
    "upper": r"[A-Z]+",
    "upper_or_digits": r"[A-Z0-9]+",
    "email": r"[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}",
    "uuid": r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    "url": r"https?://[!-~]+",
    "year_first": r"(1[89]|2[01])[0-9]{2}/(0[1-9]|1[0-2])/(0[1-9]|[12][0-9]|3[01])",
    "year_first_moment": r"(1[89]|2[01])[0-9]{2}/(0[1-9]|1[0-2])/(0[1-9]|[12][0-9]|3[01]) "
    r"([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?",
    "day_first": r"(0?[1-9]|[12][0-9]|3[01])/(0?[1-9]|1[0-2])/(1[89]|2[01])[0-9]{2}",
    "month_first": r"(0?[1-9]|1[0-2])/(0?[1-9]|[12][0-9]|3[01])/(1[89]|2[01])[0-9]{2}",
}
"""Forms that a whole column may have (RE2, of the whole value)."""

LIKENESSES: dict[str, str] = {
    "an e-mail address": r"(?s:.*)[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+\.[A-Za-z]{2,}(?s:.*)",
    "a phone number": r"(\+|00)[0-9][0-9 ()./-]{7,18}|\(?[0-9]{2,4}\)?[ -][0-9]{3}[ .-]?[0-9]{3,4}",
    "a bank account": r"[A-Z]{2}[0-9]{2}[A-Z0-9 ]{11,38}",
    "an IP address": r"([0-9]{1,3}\.){3}[0-9]{1,3}",
    "a card or identity number": r"[0-9]{3}-[0-9]{2}-[0-9]{4}|([0-9]{4}[ -]){3}[0-9]{1,7}",
    "a person's name": r"\p{Lu}[\p{Ll}'’]+( \p{Lu}\.?)*([ -]\p{Lu}[\p{L}'’]+){1,3}",  # noqa: RUF001 - as people type it
    "an address": r"(?i:[0-9]+[a-z]? ([^,]+ )?(st|street|ave|avenue|rd|road|blvd|boulevard|lane|ln|drive|dr)\.?\b.*)",
}
"""What personal data looks like, by the words a comment uses (RE2, of the whole value)."""

_LUHN = (
    "list_sum(list_transform(range(length(x)), lambda i: "
    "[[0,1,2,3,4,5,6,7,8,9], [0,2,4,6,8,1,3,5,7,9]][i % 2 + 1][substr(x, length(x) - i, 1)::INT + 1])) % 10 = 0"
)
_AFM = (
    "list_sum(list_transform(range(8), lambda i: substr(x, i + 1, 1)::INT * (1 << (8 - i)))) % 11 % 10 "
    "= right(x, 1)::INT"
)

DIGITS: dict[str, tuple[str, str]] = {
    "a card number": (r"[2-6][0-9]{12,18}", _LUHN),
    "a social security number": (r"(0[1-9]|[12][0-9]|3[01])(0[1-9]|1[0-2])[0-9]{7}", _LUHN),
    "a tax number": (r"[0-9]{9}", _AFM),
    "a phone number in digits": (
        r"(00)?(30)?(69|2[1-8])[0-9]{8}|1?[2-9][0-9]{2}[2-9][0-9]{6}|(0|44|0044)7[0-9]{9}|(00)?49[1-9][0-9]{8,10}",
        "true",
    ),
}
"""What personal data in plain digits looks like: a form (RE2, of the whole value), and a condition on `x` for DuckDB.

Cards and the Greek social security number (AMKA) end in a check digit by ISO/IEC 7812-1 (Luhn), the Greek tax number
(AFM) in one modulo 11; one number in ten has a right one by chance. Phone numbers: Greece, North America, the United
Kingdom's and Germany's mobiles.
"""
