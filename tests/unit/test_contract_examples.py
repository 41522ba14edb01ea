"""The contracts that other teams write can be said in Python."""

import datetime as dt
from decimal import Decimal as Number

from rowgate.contract.checks import Between, Expression, Matches, NotBlank, OneOf, Typed, Unique
from rowgate.contract.model import Column, Contract, DatasetRule, FieldRule, NaturalKey, Policy, ServiceLevels
from rowgate.contract.types import Date, Decimal, Integer, Text, Timestamp


def test_the_daily_orders_of_a_till_can_be_said():
    contract = Contract(
        name="till_orders",
        version="1.0.0",
        owner="till-team",
        policy=Policy.FAIL,
        service_levels=ServiceLevels(arrives="daily by 01:00 UTC, 1 file per day: landing/orders/<day>.csv"),
        key=NaturalKey(("order_id",)),
        columns=(
            Column("order_id", Integer(32), required=True),
            Column("customer_id", Text(), required=True),
            Column("amount", Decimal(10, 2), required=True),
            Column("ordered_at", Timestamp(), required=True),
        ),
        rules=(
            FieldRule("order_id", NotBlank(), "missing_order_id"),
            FieldRule("order_id", Typed(), "invalid_type_order_id"),
            FieldRule("order_id", Unique(), "duplicate_order_id"),
            FieldRule("customer_id", NotBlank(), "missing_customer_id"),
            FieldRule("amount", NotBlank(), "missing_amount"),
            FieldRule("amount", Typed(), "invalid_type_amount"),
            FieldRule("amount", Between(Number("0.01")), "amount_out_of_range"),
            FieldRule("ordered_at", NotBlank(), "missing_ordered_at"),
            FieldRule("ordered_at", Typed(), "invalid_type_ordered_at"),
        ),
    )
    assert contract.key_columns == ("order_id",)


def test_card_payments_with_service_levels_and_dataset_rules_can_be_said():
    def rules(name: str, *extra: FieldRule) -> tuple[FieldRule, ...]:
        both = FieldRule(name, NotBlank(), f"missing_{name}"), FieldRule(name, Typed(), f"invalid_type_{name}")
        return (*both, *extra)

    contract = Contract(
        name="transactions",
        version="2.1.0",
        owner="backend-team",
        description="Card payments from the banking core",
        service_levels=ServiceLevels(freshness=dt.timedelta(hours=1), availability="99.9%"),
        columns=(
            Column("transaction_id", Integer(64), required=True, description="Unique payment number"),
            Column("amount", Decimal(18, 2), required=True),
            Column("transaction_date", Date(), required=True),
            Column("status", Text(), required=True),
            Column("currency", Text(), required=True),
        ),
        rules=(
            *rules("transaction_id", FieldRule("transaction_id", Unique(), "duplicate_transaction_id")),
            *rules("amount", FieldRule("amount", Expression("amount > 0"), "amount_check_1")),
            FieldRule("amount", Expression("amount < 1000000"), "amount_check_2"),
            *rules("transaction_date"),
            FieldRule("transaction_date", Expression("transaction_date >= '2020-01-01'"), "transaction_date_check_1"),
            FieldRule("transaction_date", Expression("transaction_date <= current_date()"), "transaction_date_check_2"),
            *rules("status"),
            FieldRule("status", OneOf(("completed", "pending", "failed", "reversed")), "status_not_allowed"),
            *rules("currency", FieldRule("currency", Matches("^[A-Z]{3}$"), "currency_bad_format")),
        ),
        dataset_rules=(
            DatasetRule("no_duplicates", "SELECT COUNT(*) - COUNT(DISTINCT transaction_id) FROM {table}", 0),
            DatasetRule(
                "pending_share", "SELECT COUNT(*) FILTER(WHERE status = 'pending') / COUNT(*) FROM {table}", 0.5
            ),
        ),
    )
    assert len(contract.reasons) == 18
