-- Vouchers that are not paid, by age in days at the time up to which the tables are built: good ones, and expired ones that
-- are still owed.
SELECT v.state, (now.at - v.issued_at) / 86400000 AS days, count(*) AS vouchers, CAST(sum(v.amount) AS BIGINT) AS amount,
       min(v.expires_at) AS first_expires_at
FROM vouchers v CROSS JOIN (SELECT max(projected_at) AS at FROM chains) now
WHERE v.state IN ('good', 'expired')
GROUP BY v.state, (now.at - v.issued_at) / 86400000
ORDER BY v.state, days
