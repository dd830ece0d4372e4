import { createHash, randomBytes } from 'node:crypto'
import { createProblem, type ProblemError } from '../../../kernel/problem.ts'

/** Creates the token of a link: 256 random bits, of which only the hash is stored. */
export const createOfferToken = (): string => randomBytes(32).toString('base64url')

export const hashOfferToken = (token: string): Buffer => createHash('sha256').update(token).digest()

/** Creates the one answer to wrong and expired tokens, and to those of offers that are not open any more. */
export const createInvalidOfferProblem = (): ProblemError =>
  createProblem(
    'DPP_TRANSFER_TOKEN_INVALID',
    'The link is wrong or expired, or what it offers was accepted, declined or withdrawn.',
    { path: 'token' },
  )
