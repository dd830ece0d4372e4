import { createHash } from 'node:crypto'
import { networks, type Network } from '../networks.ts'
import type { Deployment, Evidence } from './evidence.ts'
import type { Act, Intent } from './intents.ts'
import { forbidden, Refusal } from './refusal.ts'
import type { RecordedContract, RecordedOperation, RecordedTransaction, Tables } from './tables.ts'

export interface JudgeParts {
  tables: Tables
  evidence: Evidence
  /** The operator's settings of this process. */
  rules: SigningRules
}

/** What the operator told the signer of networks. */
export interface SigningRules {
  /** Who owns the contracts that are deployed: never one of the senders. */
  owners: Partial<Record<string, string>>
  maxFeeGwei: Partial<Record<string, number>>
  /** Batches that a contract has to have before its application gets a further one. */
  maxBatches: number
  /** What a collection puts before a token's id. */
  baseUri: string
}

/** A wallet that sends a network's transactions. */
interface SendingWallet { account: string; address: string }

/** What identifies the bytes that an account signed. */
export const digestOf = (account: string, bytes: Uint8Array): Buffer =>
  createHash('sha256').update(`evm:${account}:`).update(bytes).digest()

/** Addresses are the same in small and capital letters. */
export const sameAddress = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()

/** How far ahead of the recorded nonce a sender may sign: what it has under way at once, several times over. */
const maxNonceLead = 64

/**
 * Decides whether an intent is signed. A sender's wallet does only what an operation in the tables asks for: one that
 * is queued, or one that the transaction under this very nonce has (its replacement at a higher fee). It does so only on
 * contracts whose deployment this signer signed. Wallets of people and of issuers sign nothing yet.
 *
 * What this is worth: whoever holds the secret and no more can have nothing signed but what was queued, for whom it was
 * queued. Whoever can also write the tables can queue; what the signer knows by itself still binds that: its own
 * contracts and their issuers, receivers that are wallets of its own, no value, bounded fees, its chain ids, its owner,
 * and a nonce for what happens to a token once, which only the tables can say is over.
 * @throws Refusal
 */
export async function judge(parts: JudgeParts, intent: Intent, senders: readonly SendingWallet[]): Promise<void> {
  const { tables } = parts
  const sender = demandSender(intent, senders)
  const { act, network, nonce } = intent
  const [held, next = 0] = await Promise.all([
    tables.transactionAt(network, sender.address, nonce), tables.nextNonce(network, sender.address)])
  demandNonce(act, nonce, next, held)
  if (act.kind === 'fill') return
  if (act.kind === 'deploy') return demandWanted(parts, intent, sender, held)
  const deployment = await demandContract(parts, network, sender, act, held !== undefined)
  await demandReceiver(parts.evidence, act)
  const operations = held ? held.operations : await queuedFor(tables, network, act, deployment)
  if (held && (held.kind !== act.kind || held.contract !== act.contract)) throw unjustified()
  demandOperations(act, deployment, operations, held !== undefined)
  await demandOnce(parts, intent, sender, { act, application: deployment.application ?? '' })
}

const unjustified = () => forbidden('NOT_JUSTIFIED', 'No operation asks for this.')

/** Refuses a network that is not served, and a chain id that is not the network's own. */
export function demandNetwork({ network, chainId }: Intent): void {
  const facts = Object.hasOwn(networks, network) ? networks[network as Network] : undefined
  if (facts?.family !== 'evm') throw forbidden('NETWORK', 'There is no such network here.')
  if (facts.caip2 !== `eip155:${chainId}`) throw forbidden('CHAIN_ID', 'The network has another chain id.')
}

function demandSender({ account }: Intent, senders: readonly SendingWallet[]): SendingWallet {
  const sender = senders.find((one) => one.account === account)
  if (!sender) throw forbidden('WALLET', 'This wallet may not do this.')
  return sender
}

/** A new transaction takes one of the next nonces; an older nonce is filled, or its own transaction replaced. */
function demandNonce(act: Act, nonce: number, next: number, held: RecordedTransaction | undefined): void {
  const isNext = nonce >= next && nonce < next + maxNonceLead
  const isReplaced = held !== undefined && nonce < next
  if (act.kind === 'fill' ? nonce < next : isReplaced || isNext) return
  throw forbidden('NONCE', 'The nonce is not one that may be signed now.')
}

async function demandWanted(
  parts: JudgeParts, intent: Intent, sender: SendingWallet, held: RecordedTransaction | undefined,
): Promise<void> {
  const { tables, evidence, rules } = parts
  const { act, network } = intent
  if (act.kind !== 'deploy') return
  const owner = rules.owners[network]
  if (owner === undefined || sameAddress(owner, sender.address)) throw forbidden('OWNER', 'The network has no owner for contracts.')
  const { contract } = act
  if (contract.kind === 'passports') {
    if (contract.baseUri !== rules.baseUri) throw forbidden('DEPLOYMENT', 'The collection has another address.')
    const wallets = await evidence.walletsAt([contract.issuer])
    if (!wallets.some(({ account }) => account === `issuer:${contract.application}`)) {
      throw forbidden('DEPLOYMENT', 'The issuer is not that of the application.')
    }
  }
  const replaced = held?.kind === 'deploy' && held.contract !== null && await tables.contractAt(network, held.contract)
  const candidates = held ? [replaced || undefined] : await tables.wantedContracts(network, sender.address)
  const same = candidates.flatMap((one) => (one && isSameContract(one, contract) ? [one] : []))
  if (same.length === 0) throw unjustified()
  for (const one of same) if (await isDue(parts, network, sender, one)) return
  throw forbidden('DEPLOYMENT', 'The contract before it is not full.')
}

/**
 * Whether a contract may be deployed now: the first one of an application at any time, a further one when this signer
 * has signed as many batches of the one before as that takes.
 */
async function isDue(
  { tables, evidence, rules }: JudgeParts, network: string, sender: SendingWallet, { application, part }: RecordedContract,
): Promise<boolean> {
  if (application === null || part === 0) return true
  const before = await tables.contractOf(network, application, part - 1)
  if (!before?.address) return false
  const { address, raw: raws } = before
  const isIt = (one: Deployment) => one.kind === 'passports' && one.application === application
  const known = (await evidence.deploymentAt(network, address)).find(isIt)
    ?? await adopt(evidence, { network, address, sender, raws })
  return known !== undefined && isIt(known)
    && await evidence.signedBatches(known.account, network, address) >= rules.maxBatches
}

function isSameContract(row: RecordedContract, wanted: (Act & { kind: 'deploy' })['contract']): boolean {
  if (row.kind !== wanted.kind) return false
  if (wanted.kind !== 'passports') return row.application === null
  return row.application === wanted.application && row.name === wanted.name && row.symbol === wanted.symbol
}

type ContractAct = Exclude<Act, { kind: 'deploy' } | { kind: 'fill' }>

const contractKinds: Record<ContractAct['kind'], string> = {
  mint: 'passports', mintBatch: 'passports', transfer: 'passports', anchor: 'anchors',
  registerKey: 'keys', rotateKey: 'keys', revokeKey: 'keys',
}

/**
 * The contract is one that this signer's wallet deployed, of the kind that the act is for, and the tables know it so.
 * Passports are minted in the newest contract of their application only, what replaces an earlier mint excepted.
 */
async function demandContract(
  { tables, evidence }: JudgeParts, network: string, sender: SendingWallet, act: ContractAct, isReplacement: boolean,
): Promise<Deployment> {
  const refused = forbidden('CONTRACT', 'The contract is none that this wallet may call for this.')
  const row = await tables.contractAt(network, act.contract)
  const kind = contractKinds[act.kind]
  if (!row || row.kind !== kind || row.sender !== sender.address) throw refused
  if (row.superseded && !isReplacement && (act.kind === 'mint' || act.kind === 'mintBatch')) throw refused
  const isIt = (one: Deployment) =>
    one.kind === kind && one.account === sender.account && one.application === row.application
  let deployment = (await evidence.deploymentAt(network, act.contract)).find(isIt)
  deployment ??= await adopt(evidence, { network, address: act.contract, sender, raws: row.raw })
  if (!deployment || !isIt(deployment)) throw refused
  if (act.kind === 'mintBatch' && act.issuer !== deployment.issuer) throw refused
  return deployment
}

interface Adoption { network: string; address: string; sender: SendingWallet; raws: readonly Buffer[] }

/**
 * Takes up a contract that an earlier version deployed: the bytes come from the tables, but only bytes count that this
 * signer signed itself, and the application is told by the issuer's wallet.
 */
async function adopt(evidence: Evidence, { network, address, sender, raws }: Adoption): Promise<Deployment | undefined> {
  const { readDeployment } = await import('../evm/deployment.ts')
  for (const raw of raws) {
    const found = await readDeployment(sender.address, raw)
    if (found?.address !== address || !await evidence.wasSigned(sender.account, digestOf(sender.account, found.bytes))) continue
    const { kind, issuer } = found
    const wallets = issuer === null ? [] : await evidence.walletsAt([issuer])
    const application = wallets.map(({ account }) => /^issuer:(.+)$/.exec(account)?.[1]).find(Boolean) ?? null
    const deployment = { network, address, kind, account: sender.account, application, issuer }
    await evidence.keepDeployment(deployment)
    return deployment
  }
  return undefined
}

/** Tokens go to wallets of this signer's people, to nobody else. */
async function demandReceiver(evidence: Evidence, act: ContractAct): Promise<void> {
  if (act.kind !== 'mint' && act.kind !== 'transfer') return
  const wallets = await evidence.walletsAt([act.to])
  if (wallets.some(({ account }) => account.startsWith('account:'))) return
  throw forbidden('RECIPIENT', 'The receiver is not a wallet of an account.')
}

const operationKinds = { mintBatch: 'mintToIssuer', mint: 'mintTo', transfer: 'transferTo' } as const

async function queuedFor(
  tables: Tables, network: string, act: ContractAct, { application }: Deployment,
): Promise<RecordedOperation[]> {
  switch (act.kind) {
    case 'mintBatch': case 'mint': case 'transfer': {
      const tokens = act.kind === 'mintBatch' ? act.tokenIds : [act.tokenId]
      return tables.queuedTokens({ kind: operationKinds[act.kind], network, application: application ?? '', tokens })
    }
    case 'anchor': return tables.queuedRecords(network, act.kind, act.roots)
    default: return tables.queuedRecords(network, act.kind, [act.key])
  }
}

/** Each part of the act has its operation; a replacement does all of its transaction's operations and no more. */
function demandOperations(
  act: ContractAct, { application }: Deployment, operations: readonly RecordedOperation[], whole: boolean,
): void {
  const asked = partsOf(act)
  const own = operations.filter((one) => one.application === application)
  const known = new Set(own.map((one) => partOf(one)))
  if (!asked.every((part) => known.has(part))) throw unjustified()
  if (whole && known.size !== asked.length) throw unjustified()
}

/**
 * What happens to a token once is signed under one nonce. It is signed under another one only when the tables say of
 * that nonce, for good, that a transaction used it that did nothing with the token: until then the bytes of before
 * could be mined beside the new ones. Roots and keys may be recorded twice, and come to the same.
 */
async function demandOnce(
  { tables, evidence }: JudgeParts, { network, nonce }: Intent, { address: sender }: SendingWallet,
  { act, application }: { act: ContractAct; application: string },
): Promise<void> {
  if (act.kind !== 'mintBatch' && act.kind !== 'mint' && act.kind !== 'transfer') return
  const tokens = act.kind === 'mintBatch' ? act.tokenIds : [act.tokenId]
  const deed = act.kind === 'transfer' ? 'transfer' : 'mint'
  const turn = { network, application, deed, tokens, sender, nonce } as const
  const elsewhere = await evidence.signedElsewhere(turn)
  const released = elsewhere.length > 0 ? new Set(await tables.released(network, elsewhere)) : new Set()
  const bound = elsewhere.filter(({ token }) => !released.has(token))
  if (bound.length === 0 && await evidence.keepTurn(turn, elsewhere)) return
  const own = bound.filter((one) => one.sender === sender).map((one) => one.nonce)
  const last = own.length > 0 ? Math.max(...own) : null
  throw new Refusal(403, 'SIGNED_BEFORE', 'The same was signed under a nonce that is not over.', bound.length > 0 ? last : undefined)
}

/** What an act does, one text an operation. */
function partsOf(act: ContractAct): string[] {
  switch (act.kind) {
    case 'mintBatch': return act.tokenIds.map((token) => `mintToIssuer ${token}`)
    case 'mint': return [`mintTo ${act.tokenId} ${act.to}`]
    case 'transfer': return [`transferTo ${act.tokenId} ${act.to}`]
    case 'anchor': return act.roots.map((root) => `anchor ${root}`)
    case 'registerKey': return [`registerKey ${act.organization} ${act.key}`]
    case 'rotateKey': return [`rotateKey ${act.organization} ${act.key} ${act.previous}`]
    case 'revokeKey': return [`revokeKey ${act.organization} ${act.key} ${act.compromisedAt ?? 0}`]
  }
}

/** The same of an operation. */
function partOf({ kind, token, recipient, organization, content }: RecordedOperation): string {
  switch (kind) {
    case 'mintToIssuer': return `${kind} ${token}`
    case 'mintTo': case 'transferTo': return `${kind} ${token} ${recipient}`
    case 'anchor': return `${kind} ${content?.['root']}`
    case 'rotateKey': return `${kind} ${organization} ${content?.['key']} ${content?.['previous']}`
    case 'revokeKey': {
      const at = content?.['compromisedAt']
      return `${kind} ${organization} ${content?.['key']} ${at ? Math.floor(new Date(at).getTime() / 1_000) : 0}`
    }
    default: return `${kind} ${organization} ${content?.['key']}`
  }
}
