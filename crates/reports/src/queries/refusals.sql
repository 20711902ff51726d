-- What was refused, by reason: how often, by how many sources, and when last.
SELECT reason, command, CAST(sum(count) AS BIGINT) AS times, count(DISTINCT source || ' ' || source_number) AS sources,
       max(last_at) AS last_at
FROM refusals
GROUP BY reason, command
ORDER BY times DESC, reason, command
