"""People who signed up, as the web shop's export has them."""

from rowgate.contract.checks import Between, Matches, NotBlank
from rowgate.contract.model import Column, Contract, FieldRule, Pii, SurrogateKey
from rowgate.contract.types import Integer, Text

CONTRACT = Contract(
    name="users",
    version="1.0.0",
    owner="data-platform",
    description="People who signed up. One row a person; a person is told by name, e-mail and phone together.",
    columns=(
        Column("id", Text(), description="The row's number in the export. Carried to the rejects only.", loaded=False),
        Column("name", Text(), Pii.DIRECT, "Full name, as the person wrote it.", required=True),
        Column("email", Text(), Pii.DIRECT, "E-mail address.", required=True),
        Column("phone", Text(), Pii.DIRECT, "Greek mobile number, ten digits.", required=True),
        Column(
            "zip_code",
            Text(),
            Pii.QUASI,
            "Greek postcode, five digits; text, since it may begin with 0.",
            required=True,
        ),
        Column("age", Integer(32), Pii.QUASI, "Age in whole years.", required=True),
        Column("city", Text(), Pii.QUASI, "City or town.", required=True),
    ),
    rules=(
        FieldRule("name", NotBlank(), "invalid_name", "The name is not blank."),
        FieldRule(
            "email",
            Matches(r"[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}"),
            "invalid_email",
            "The e-mail address has a name, an @ and a domain.",
        ),
        FieldRule("phone", Matches(r"69[0-9]{8}"), "invalid_phone", "The phone is a Greek mobile number."),
        FieldRule("zip_code", Matches(r"[0-9]{5}"), "invalid_zip_code", "The postcode has five digits."),
        FieldRule("age", Between(18, 99), "invalid_age", "The age is a whole number from 18 to 99."),
        FieldRule("city", NotBlank(), "invalid_city", "The city is not blank."),
    ),
    key=SurrogateKey("user_id", ("name", "email", "phone"), description="Who the person is, without saying it."),
)
