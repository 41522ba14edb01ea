{# The row meets a condition in SQL. NULL passes. #}
{% test satisfies(model, condition, column_name=none) %}
select *
from {{ model }}
where not ({{ condition }})
{% endtest %}
