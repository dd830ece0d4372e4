import { Job } from '../../../kernel/job.ts'
import { Type, integer, list, nullable, object, record, string, uuid, type Static } from '../../../kernel/schema.ts'

/** The maximum number of rows in one batch, and the maximum size of its body. */
export const maxRows = 10_000
export const maxBodyBytes = 16 * 1024 * 1024

export const MintRows = Type.Array(record('Values of `passportsFields`.'), {
  description: `One object a passport, 1 to ${maxRows.toLocaleString('en')}.`,
})

const MintResult = object(
  {
    line: integer('Index of the row in the batch, from 0.', { minimum: 0 }),
    passport: uuid('The passport made of it.'),
    tokenId: string('Its token: `0x` and 64 hexadecimal digits.'),
    transactionHash: nullable(string('Transaction that minted the token; null until it is final.')),
  },
  { title: 'MintResult', description: 'What became of one row of a batch.' },
)
export type MintResult = Static<typeof MintResult>

export const MintJob = object(
  {
    ...Job.properties,
    results: list(MintResult, 'The rows of this page, in the order of the batch.', { maxItems: 1000 }),
  },
  { title: 'MintJob', description: 'A batch mint as it stands, with one page of its rows.' },
)
export type MintJob = Static<typeof MintJob>
