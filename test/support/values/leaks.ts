/**
 * What only our own side can say: stacks, files, statements of the database and its words of complaint. Nothing of this
 * is part of a hostile text, which an answer may name.
 */
export const leakPattern = new RegExp(
  [
    String.raw`\bat (?:async )?[\w.<>]+ \(`,
    'node_modules',
    'file:///(?!etc/passwd)',
    String.raw`\.ts:\d`,
    String.raw`/core/\w`,
    'node:internal',
    '(?:Type|Range|Reference|Syntax|Validation|DB|URI)Error',
    'Cannot read prop',
    'is not a function',
    'is not iterable',
    'Maximum call stack',
    'syntax error at',
    'invalid input syntax',
    'violates ',
    'duplicate key value',
    'relation "',
    'column "',
    'out of range for type',
    'SQLSTATE',
    'current transaction is aborted',
    'statement timeout',
    'invalid byte sequence',
    'Unexpected token',
    'in JSON at position',
    'select "',
    ' from "',
    'insert into "',
    'ECONN',
    'objection',
    'knex',
  ].join('|'),
)
