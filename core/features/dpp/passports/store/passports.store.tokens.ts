import type { Knex } from 'knex'
import { passportStatus } from '../passports.machine.ts'
import { parseTokenBytes, tokenBytesSql } from '../token-bytes.ts'

/** Marks a passport as waiting for its mint. That is no change of the passport, so `updated_at` stays. */
export async function queueMint(trx: Knex, passport: string): Promise<void> {
  await trx('passports').where({ id: passport }).update({ mint_queued_at: trx.fn.now() })
}

/** Releases passports whose mint failed for good, so that they can be claimed again or deleted. */
export async function releaseMints(trx: Knex, tokenIds: readonly string[]): Promise<void> {
  await trx.raw(
    `update passports set mint_queued_at = null, updated_at = now()
     where ${tokenBytesSql} = any(?::bytea[]) and token_transaction is null`,
    [tokenIds.map(parseTokenBytes)],
  )
}

/** What the chain says of a token. A value that is null keeps what is stored. */
export interface TokenFacts {
  tokenId: string
  contract: string | null
  transactionHash: string | null
  /** When it was minted. */
  mintedAt: Date | null
  owner: string | null
}

/** Stores what the chain says of tokens. */
export async function updateTokens(trx: Knex, tokens: readonly TokenFacts[]): Promise<void> {
  await trx.raw(
    `update passports set token_contract = coalesce(token.contract, token_contract),
       token_transaction = coalesce(token.hash, token_transaction), minted_at = coalesce(token.at, minted_at),
       token_owner = coalesce(token.owner, token_owner), updated_at = now()
     from unnest(?::bytea[], ?::text[], ?::text[], ?::timestamptz[], ?::text[]) as token (id, contract, hash, at, owner)
     where ${tokenBytesSql} = token.id`,
    [
      tokens.map(({ tokenId }) => parseTokenBytes(tokenId)),
      tokens.map(({ contract }) => contract),
      tokens.map(({ transactionHash }) => transactionHash),
      tokens.map(({ mintedAt }) => mintedAt),
      tokens.map(({ owner }) => owner),
    ] as Knex.RawBinding[],
  )
}

/** Gives passports to the accounts that claimed them. A passport that was archived meanwhile stays archived. */
export async function handOverPassports(
  trx: Knex,
  claims: readonly { passport: string; account: string | null }[],
): Promise<void> {
  await trx.raw(
    `update passports set minted_to = claim.account, updated_at = now(),
       ${passportStatus.setWherePossible('claim')}
     from unnest(?::uuid[], ?::uuid[]) as claim (passport, account) where passports.id = claim.passport`,
    [claims.map(({ passport }) => passport), claims.map(({ account }) => account)] as Knex.RawBinding[],
  )
}
