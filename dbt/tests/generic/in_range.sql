{# The value lies between two ends, each given as SQL; an end that is left out is open. NULL passes. #}
{% test in_range(model, column_name, low=none, high=none) %}
select {{ column_name }}
from {{ model }}
where
    {% if low is not none %}{{ column_name }} < {{ low }}{% else %}false{% endif %}
    or {% if high is not none %}{{ column_name }} > {{ high }}{% else %}false{% endif %}
{% endtest %}
