-- The balance of every account of every chain, and how many legs have made it. The balances of a chain sum to zero.
SELECT chain, account, count(*) AS legs, CAST(sum(amount) AS BIGINT) AS balance
FROM ledger_entries
GROUP BY chain, account
ORDER BY chain, account
