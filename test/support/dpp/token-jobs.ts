import { randomUUID } from 'node:crypto'
import type { Context } from '../../../core/kernel/work.ts'
import { readAccountUser } from '../rows/accounts/accounts.ts'
import { insertClaim, spendMagicToken } from '../rows/dpp/claims.ts'
import { assignMintJob, queueUnknownMint } from '../rows/dpp/passports.ts'

/** A passport whose token is to be minted or handed over. */
export interface TokenPassport {
  id: string
  tokenId: string
}

/** A passport in a job that waits for a chain operation of which no sender knows. */
export interface TokenUnit extends TokenPassport {
  job: string
  operation: string
  line: number
}

/** Whose passports they are. */
interface Owner {
  organization: string
  application: string
}

/** Queues the mint job of a batch whose operations no sender knows: a test settles them itself. */
export async function queueBatchMint(
  { db, queue }: Context,
  { organization, application, sheet, passports }: Owner & { sheet: string; passports: readonly TokenPassport[] },
): Promise<TokenUnit[]> {
  const network = 'EthereumAnvil'
  const job = await db.transaction(async (trx) => {
    const made = await queue.enqueue(trx, {
      type: 'mint',
      organization,
      application,
      product: sheet,
      total: passports.length,
      payload: { network },
    })
    for (const [line, { id }] of passports.entries()) await assignMintJob(trx, id, { job: made, line })
    return made
  })
  return passports.map(({ id, tokenId }, line) => ({ id, tokenId, job, line, operation: `mint:${network}:${id}` }))
}

/** Queues a claim by magic token whose operation no sender knows: a test settles it itself. */
export async function queueClaim(
  { db, queue }: Context,
  {
    organization,
    application,
    account,
    kind,
    passport: { id, tokenId },
  }: Owner & { account: string; kind: 'mintTo' | 'transferTo'; passport: TokenPassport },
): Promise<TokenUnit> {
  const claim = randomUUID()
  const operation = `claim:${claim}`
  const job = await db.transaction(async (trx) => {
    const made = await queue.enqueue(trx, { type: 'claim', organization, application, total: 1, payload: { claim } })
    await insertClaim(trx, {
      id: claim,
      organization,
      application,
      passport: id,
      job: made,
      endUser: await readAccountUser(trx, account),
      account,
      operation: { id: operation, kind },
    })
    await spendMagicToken(trx, id, claim)
    if (kind === 'mintTo') await queueUnknownMint(trx, id)
    return made
  })
  return { id, tokenId, job, line: 0, operation }
}
