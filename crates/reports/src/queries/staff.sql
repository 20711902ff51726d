-- What each person did and approved, by gaming day.
SELECT a.gaming_day, a.person, coalesce(p.name, '') AS name, a.part, a.chain, a.command, a.count, a.last_at
FROM acts a LEFT JOIN people p ON p.person = a.person
ORDER BY a.gaming_day, a.person, a.part, a.chain, a.command
