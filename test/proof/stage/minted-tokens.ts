import { createHash } from 'node:crypto'

/** keccak-256 of `Transfer(address,address,uint256)`. Source: ERC-721. */
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
/** The first four bytes of the keccak-256 of `ownerOf(uint256)`. Source: ERC-721. */
const ownerOf = '0x6352211e'

/** A passport that was accepted, and where its token is to be in the end. */
export interface AcceptedPassport {
  passport: string
  owner: string
  /** The contract that the API names. */
  contract: string
}

/** What the chain says of accepted passports. Each list is of token ids and has to be empty. */
export interface ChainVerdict {
  expected: number
  /** Tokens that were minted exactly once. */
  found: number
  lost: string[]
  duplicates: string[]
  /** Minted, though no accepted passport has such a token. */
  foreign: string[]
  /** Held by somebody else, or in another contract, than it has to be. */
  astray: string[]
}

interface Log {
  address: string
  topics: [string, string, string, string]
  blockNumber: string
  logIndex: string
}
interface Call {
  method: string
  params: unknown[]
}

/** Calls of a node in one request, answered in their order. Source: JSON-RPC 2.0. */
async function askAll<T>(url: string, calls: readonly Call[]): Promise<T[]> {
  const body = JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call })))
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const results = (await answer.json()) as { id: number; result?: T; error?: { message: string } }[]
  return results
    .sort((a, b) => a.id - b.id)
    .map(({ result, error }) => {
      if (error) throw new Error(error.message)
      return result as T
    })
}

export const toTokenId = (passport: string) => `0x${createHash('sha256').update(passport.toLowerCase()).digest('hex')}`

const addressIn = (word: string) => `0x${word.slice(-40)}`.toLowerCase()
const isMint = ({ topics: [, from] }: Log) => BigInt(from) === 0n

/**
 * Holds the whole chain against what was accepted. It shares nothing with what it judges: plain JSON-RPC, and the
 * SHA-256 of the passports' ids. @param known accepted passports beside those that are to be judged now
 */
export async function checkMintedTokens(
  url: string,
  accepted: readonly AcceptedPassport[],
  known: Iterable<string> = [],
): Promise<ChainVerdict> {
  const byToken = await transfersOf(url)
  const wanted = new Map(accepted.map((one) => [toTokenId(one.passport), one]))
  const tokens = [...wanted.keys()]
  const mints = new Map(tokens.map((token) => [token, (byToken.get(token) ?? []).filter(isMint).length]))
  const all = new Set([...tokens, ...[...known].map(toTokenId)])
  const owners = await ownersNow(
    url,
    tokens.flatMap((token) => byToken.get(token)?.at(-1) ?? []),
  )
  const isAstray = (token: string) => {
    const last = byToken.get(token)?.at(-1)
    const place = wanted.get(token)
    if (!last || !place) return false
    const found = [last.address.toLowerCase(), addressIn(last.topics[2]), owners.get(token)]
    const right = [place.contract, place.owner, place.owner].map((address) => address.toLowerCase())
    return found.some((address, at) => address !== right[at])
  }
  return {
    expected: wanted.size,
    found: tokens.filter((token) => mints.get(token) === 1).length,
    lost: tokens.filter((token) => mints.get(token) === 0),
    duplicates: tokens.filter((token) => (mints.get(token) ?? 0) > 1),
    foreign: [...byToken.keys()].filter((token) => !all.has(token)),
    astray: tokens.filter(isAstray),
  }
}

/** The hash of block 1: two chains of one node program may have the same block 0, but not the same one after it. */
export async function readFirstBlock(url: string): Promise<string> {
  const question = { method: 'eth_getBlockByNumber', params: ['0x1', false] }
  const [block] = await askAll<{ hash: string } | null>(url, [question])
  return block?.hash ?? 'none yet'
}

/** Whether the chain has what it has to have, and nothing else. */
export const isVerdictClean = ({ lost, duplicates, foreign, astray }: ChainVerdict) =>
  lost.length + duplicates.length + foreign.length + astray.length === 0

/** Every transfer of the chain by token, whichever contract made it, the first one first. */
async function transfersOf(url: string): Promise<Map<string, Log[]>> {
  const [logs = []] = await askAll<Log[]>(url, [
    { method: 'eth_getLogs', params: [{ fromBlock: '0x0', toBlock: 'latest', topics: [transferTopic] }] },
  ])
  const sorted = logs
    .filter(({ topics }) => topics.length === 4)
    .sort((a, b) => Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex))
  return Map.groupBy(sorted, ({ topics: [, , , token] }) => token)
}

/** What the contracts themselves say of the tokens of these transfers, by token. */
async function ownersNow(url: string, transfers: readonly Log[]): Promise<Map<string, string>> {
  const owners = new Map<string, string>()
  for (let from = 0; from < transfers.length; from += 100) {
    const some = transfers.slice(from, from + 100)
    const answers = await askAll<string>(
      url,
      some.map(({ address, topics: [, , , token] }) => ({
        method: 'eth_call',
        params: [{ to: address, data: `${ownerOf}${token.slice(2)}` }, 'latest'],
      })),
    )
    some.forEach(({ topics: [, , , token] }, at) => owners.set(token, addressIn(answers[at] ?? '')))
  }
  return owners
}
