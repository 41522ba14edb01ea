{# The text matches a regular expression as Postgres reads it. NULL passes. #}
{% test matches(model, column_name, pattern) %}
select {{ column_name }}
from {{ model }}
where {{ column_name }} !~ '{{ pattern | replace("'", "''") }}'
{% endtest %}
