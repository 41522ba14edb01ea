"""Words in the names of columns, in small letters without accents, and what they say about the values."""

DIRECT = frozenset(
    (
        *("firstname", "lastname", "fullname", "surname", "forename", "username", "email", "mail", "phone", "mobile"),
        *("tel", "telephone", "fax", "ssn", "passport", "iban", "address", "street", "ip", "nickname", "login"),
        *("signature", "vorname", "nachname", "nom", "prenom", "nombre", "apellido", "correo", "telefono", "adresse"),
        *(
            "creditcard",
            "debitcard",
            "cardnumber",
            "cardno",
            "pan",
            "amka",
            "afm",
            "nin",
            "nino",
            "nationalid",
            "idcard",
        ),
        *("taxid", "taxnumber", "tin", "vatnumber", "vatid", "vatno", "socialsecurity", "personnummer", "dni", "nif"),
        *("cpf", "bsn", "pesel", "kontonummer", "accountnumber", "accountno"),
        *("ονομα", "επωνυμο", "τηλεφωνο", "διευθυνση", "αφμ", "αμκα"),
    )
)
"""The values tell who a person is."""

QUASI = frozenset(
    (
        *("age", "gender", "sex", "race", "ethnicity", "birth", "birthday", "birthdate", "dob", "born", "zip"),
        *("zipcode", "postcode", "postal", "plz", "nationality", "religion", "salary", "income", "death", "marital"),
        *("city", "geburtsdatum", "geburtstag", "alter", "edad", "naissance", "nacimiento", "dateofbirth", "birthyear"),
        *("yob", "ages", "wage", "wages", "ηλικια", "φυλο", "πολη", "γεννηση", "γεννησησ"),
    )
)
"""Several such values together may tell who a person is."""

THINGS = frozenset(
    (
        *("file", "product", "item", "brand", "company", "host", "table", "station", "airport", "team", "city"),
        *("country", "state", "event"),
    )
)
"""A name beside one of these is a thing's."""

KEYS = frozenset(
    (
        *("id", "key", "code", "no", "number", "nr", "uuid", "guid", "ref", "sku", "isbn", "iata", "icao", "symbol"),
        *("ticker",),
    )
)
"""The value may tell the record apart."""

DAYS = frozenset((*("date", "day", "month", "year", "time", "timestamp", "quarter", "week"),))
"""The value says when."""

TEXTS = frozenset(
    (
        *("phone", "mobile", "tel", "telephone", "fax", "zip", "zipcode", "postcode", "postal", "plz", "ssn", "iban"),
        *("passport", "αφμ", "αμκα"),
    )
)
"""Digits that are not counted with."""
