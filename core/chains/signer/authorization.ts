import { createHash } from 'node:crypto'
import { networks, type Network } from '../networks.ts'
import type { DeploymentEvidence, Evidence } from './evidence.ts'
import type { IntentAct, Intent } from './intents.ts'
import { findSigningFamily, type SigningFamily } from './keys.ts'
import { assertPointsAccounts, isSamePointsContract } from './points.ts'
import { assertHandover } from './handovers.ts'
import { getOperationPart, listActParts, type ContractAct } from './parts.ts'
import { createForbiddenError, SigningRefusedError } from './refusal.ts'
import type { RecordedContract, RecordedOperation, RecordedTransaction, RecordedTables } from './tables.ts'

export interface AuthorizationOptions {
  tables: RecordedTables
  evidence: Evidence
  /** The operator's settings of this process. */
  rules: SigningRules
}

/** The operator's settings for networks. */
export interface SigningRules {
  /** Owners of deployed contracts, by network. An owner is never one of the senders. */
  owners: Partial<Record<string, string>>
  maxFeeGwei: Partial<Record<string, number>>
  /** Number of batches that a contract needs before its application gets a further contract. */
  maxBatches: number
  /** Beginning of the token URIs of a collection. */
  baseUri: string
}

/** A wallet that sends a network's transactions. */
interface SendingWallet {
  account: string
  address: string
}

/** Creates the digest that identifies the bytes that an account signed. */
export const createSigningDigest = (account: string, bytes: Uint8Array): Buffer =>
  createHash('sha256').update(`evm:${account}:`).update(bytes).digest()

/** Compares addresses. Small and capital letters are the same. */
export const isSameAddress = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()

/** How far ahead of the recorded nonce a sender may sign: several times what it has in flight at once. */
const maxNonceLead = 64

/**
 * Decides whether an intent is signed. A sender's wallet performs only an act that an operation in the tables asks for:
 * an operation that is queued, or one that belongs to the transaction under this very nonce (the intent is then its
 * replacement at a higher fee). The act must use a contract whose deployment this signer signed. The wallet of a person
 * signs only that a token is passed on, for such an operation; wallets of issuers sign nothing.
 *
 * An attacker who has only the secret can get nothing signed except queued operations, for the receivers for whom they
 * were queued. An attacker who can also write the tables can queue operations. What the signer itself knows still
 * limits that attacker: its own contracts and their issuers, receivers that are its own wallets, no value, limited
 * fees, its chain ids, its owner, and a single nonce for what happens to a token only once. Only the tables can say
 * that such a nonce is used up.
 * @throws SigningRefusedError
 */
export async function authorizeIntent(
  options: AuthorizationOptions,
  intent: Intent,
  senders: readonly SendingWallet[],
): Promise<void> {
  const { tables } = options
  const sender = authorizeSender(intent, senders)
  const { act, network, nonce } = intent
  const [recorded, nextNonce = 0] = await Promise.all([
    tables.findTransaction(network, sender.address, nonce),
    tables.findNextNonce(network, sender.address),
  ])
  assertNonce(act, nonce, nextNonce, recorded)
  if (act.kind === 'fill') return
  if (act.kind === 'deploy') return assertContractWanted(options, intent, sender, recorded)
  const deployment = await authorizeContract(options, network, sender, act, recorded !== undefined)
  await assertReceiver(options.evidence, network, act)
  const operations = recorded ? recorded.operations : await listQueuedOperations(tables, network, act, deployment)
  if (recorded && (recorded.kind !== act.kind || recorded.contract !== act.contract)) throw createUnjustifiedError()
  assertOperations(act, deployment, operations, recorded !== undefined)
  await assertSignedOnce(options, intent, sender, { act, application: deployment.application ?? '' })
}

const createUnjustifiedError = () => createForbiddenError('NOT_JUSTIFIED', 'No operation asks for this.')

/**
 * Checks an intent's network. @returns the family whose keys sign there
 * @throws SigningRefusedError if it is not served here, or if its chain id is another one
 */
export function assertNetwork({ network, chainId }: Intent): SigningFamily {
  const family = findSigningFamily(network)
  if (family === undefined) throw createForbiddenError('NETWORK', 'There is no such network here.')
  if (networks[network as Network].caip2 !== `eip155:${chainId}`)
    throw createForbiddenError('CHAIN_ID', 'The network has another chain id.')
  return family
}

function authorizeSender({ account }: Intent, senders: readonly SendingWallet[]): SendingWallet {
  const sender = senders.find((one) => one.account === account)
  if (!sender) throw createForbiddenError('WALLET', 'This wallet may not do this.')
  return sender
}

/**
 * Throws unless the nonce may be signed now. A new transaction takes one of the next nonces; an older nonce may only be
 * filled, or its own transaction replaced.
 */
function assertNonce(
  act: IntentAct,
  nonce: number,
  nextNonce: number,
  recorded: RecordedTransaction | undefined,
): void {
  const isNext = nonce >= nextNonce && nonce < nextNonce + maxNonceLead
  const isReplaced = recorded !== undefined && nonce < nextNonce
  if (act.kind === 'fill' ? nonce < nextNonce : isReplaced || isNext) return
  throw createForbiddenError('NONCE', 'The nonce is not one that may be signed now.')
}

async function assertContractWanted(
  options: AuthorizationOptions,
  intent: Intent,
  sender: SendingWallet,
  recorded: RecordedTransaction | undefined,
): Promise<void> {
  const { tables, evidence, rules } = options
  const { act, network } = intent
  if (act.kind !== 'deploy') return
  const owner = rules.owners[network]
  if (owner === undefined || isSameAddress(owner, sender.address))
    throw createForbiddenError('OWNER', 'The network has no owner for contracts.')
  const { contract } = act
  if (contract.kind === 'passports') {
    if (contract.baseUri !== rules.baseUri)
      throw createForbiddenError('DEPLOYMENT', 'The collection has another address.')
    const wallets = await evidence.listWallets([contract.issuer])
    if (!wallets.some(({ account }) => account === `issuer:${contract.application}`)) {
      throw createForbiddenError('DEPLOYMENT', 'The issuer is not that of the application.')
    }
  }
  const replaced =
    recorded?.kind === 'deploy' && recorded.contract !== null && (await tables.findContract(network, recorded.contract))
  const candidates = recorded ? [replaced || undefined] : await tables.listWantedContracts(network, sender.address)
  const same = candidates.flatMap((one) => (one && isSameContract(one, contract) ? [one] : []))
  if (same.length === 0) throw createUnjustifiedError()
  for (const one of same) if (await isDeploymentDue(options, network, sender, one)) return
  throw createForbiddenError('DEPLOYMENT', 'The contract before it is not full.')
}

/**
 * Checks whether a contract may be deployed now. An application's first contract may be deployed at any time. A further
 * one may be deployed when this signer has signed as many batches for the previous contract as that takes.
 */
async function isDeploymentDue(
  { tables, evidence, rules }: AuthorizationOptions,
  network: string,
  sender: SendingWallet,
  { application, part }: RecordedContract,
): Promise<boolean> {
  if (application === null || part === 0) return true
  const before = await tables.findPassportsContract(network, application, part - 1)
  if (!before?.address) return false
  const { address, raw: raws } = before
  const isSameCollection = (one: DeploymentEvidence) => one.kind === 'passports' && one.application === application
  const known =
    (await evidence.listDeployments(network, address)).find(isSameCollection)
    ?? (await adoptDeployment(evidence, { network, address, sender, raws }))
  return (
    known !== undefined
    && isSameCollection(known)
    && (await evidence.countSignedBatches(known.account, network, address)) >= rules.maxBatches
  )
}

function isSameContract(row: RecordedContract, wanted: (IntentAct & { kind: 'deploy' })['contract']): boolean {
  if (row.kind !== wanted.kind) return false
  if (wanted.kind === 'points') return isSamePointsContract(row, wanted)
  if (wanted.kind !== 'passports') return row.application === null
  return row.application === wanted.application && row.name === wanted.name && row.symbol === wanted.symbol
}

const contractKinds: Record<ContractAct['kind'], string> = {
  mint: 'passports',
  mintBatch: 'passports',
  transfer: 'passports',
  passOn: 'passports',
  postPoints: 'points',
  anchor: 'anchors',
  registerKey: 'keys',
  rotateKey: 'keys',
  revokeKey: 'keys',
}

/**
 * Checks that a wallet of this signer deployed the contract, that the contract is of the kind the act needs, and that
 * the tables agree. Passports are minted only in the newest contract of their application, except by a replacement of
 * an earlier mint.
 * @throws SigningRefusedError
 */
async function authorizeContract(
  { tables, evidence }: AuthorizationOptions,
  network: string,
  sender: SendingWallet,
  act: ContractAct,
  isReplacement: boolean,
): Promise<DeploymentEvidence> {
  const contractError = createForbiddenError('CONTRACT', 'The contract is none that this wallet may call for this.')
  const row = await tables.findContract(network, act.contract)
  const kind = contractKinds[act.kind]
  if (!row || row.kind !== kind || row.sender !== sender.address) throw contractError
  if (row.superseded && !isReplacement && (act.kind === 'mint' || act.kind === 'mintBatch')) throw contractError
  const isSameDeployment = (one: DeploymentEvidence) =>
    one.kind === kind && one.account === sender.account && one.application === row.application
  let deployment = (await evidence.listDeployments(network, act.contract)).find(isSameDeployment)
  deployment ??= await adoptDeployment(evidence, { network, address: act.contract, sender, raws: row.raw })
  if (!deployment || !isSameDeployment(deployment)) throw contractError
  if (act.kind === 'mintBatch' && act.issuer !== deployment.issuer) throw contractError
  return deployment
}

interface AdoptionRequest {
  network: string
  address: string
  sender: SendingWallet
  raws: readonly Buffer[]
}

/**
 * Adopts a contract that an earlier version deployed. The bytes come from the tables, but only bytes that this signer
 * itself signed count. The application is read from the name of the issuer's wallet.
 */
async function adoptDeployment(
  evidence: Evidence,
  { network, address, sender, raws }: AdoptionRequest,
): Promise<DeploymentEvidence | undefined> {
  const { parseDeployment } = await import('../evm/acts/deployment.ts')
  for (const raw of raws) {
    const signedDeployment = await parseDeployment(sender.address, raw)
    if (
      signedDeployment?.address !== address
      || !(await evidence.wasSigned(sender.account, createSigningDigest(sender.account, signedDeployment.bytes)))
    )
      continue
    const { kind, issuer } = signedDeployment
    const wallets = issuer === null ? [] : await evidence.listWallets([issuer])
    const application = wallets.map(({ account }) => /^issuer:(.+)$/.exec(account)?.[1]).find(Boolean) ?? null
    const deployment = { network, address, kind, account: sender.account, application, issuer }
    await evidence.insertDeployment(deployment)
    return deployment
  }
  return undefined
}

/** Throws if a token or points would go to an address that is not the wallet of an account of this signer. */
async function assertReceiver(evidence: Evidence, network: string, act: ContractAct): Promise<void> {
  if (act.kind === 'postPoints') return assertPointsAccounts(evidence, act)
  if (act.kind === 'passOn') return assertHandover(evidence, network, act)
  if (act.kind !== 'mint' && act.kind !== 'transfer') return
  const wallets = await evidence.listWallets([act.to])
  if (wallets.some(({ account }) => account.startsWith('account:'))) return
  throw createForbiddenError('RECIPIENT', 'The receiver is not a wallet of an account.')
}

const operationKinds = {
  mintBatch: 'mintToIssuer',
  mint: 'mintTo',
  transfer: 'transferTo',
  passOn: 'passOn',
} as const

async function listQueuedOperations(
  tables: RecordedTables,
  network: string,
  act: ContractAct,
  { application }: DeploymentEvidence,
): Promise<RecordedOperation[]> {
  switch (act.kind) {
    case 'mintBatch':
    case 'mint':
    case 'transfer':
    case 'passOn': {
      const tokens = act.kind === 'mintBatch' ? act.tokenIds : [act.tokenId]
      return tables.listQueuedTokens({
        kind: operationKinds[act.kind],
        network,
        application: application ?? '',
        tokens,
      })
    }
    case 'postPoints':
      return tables.listQueuedPoints(network, application ?? '', act.operations)
    case 'anchor':
      return tables.listQueuedRecords(network, act.kind, act.roots)
    default:
      return tables.listQueuedRecords(network, act.kind, [act.key])
  }
}

/**
 * Throws unless each part of the act has its operation. A replacement must cover exactly its transaction's operations.
 */
function assertOperations(
  act: ContractAct,
  { application }: DeploymentEvidence,
  operations: readonly RecordedOperation[],
  isReplacement: boolean,
): void {
  const actParts = listActParts(act)
  const own = operations.filter((one) => one.application === application)
  const known = new Set(own.map((one) => getOperationPart(one)))
  if (!actParts.every((part) => known.has(part))) throw createUnjustifiedError()
  if (isReplacement && known.size !== actParts.length) throw createUnjustifiedError()
}

/** What an act does to a token that may happen only once; null for acts that may be repeated, with the same result. */
const singleDeeds: Record<ContractAct['kind'], 'mint' | 'transfer' | null> = {
  mintBatch: 'mint',
  mint: 'mint',
  transfer: 'transfer',
  passOn: null,
  postPoints: null,
  anchor: null,
  registerKey: null,
  rotateKey: null,
  revokeKey: null,
}

/**
 * Throws if an act that happens to a token only once is already signed under another nonce. The act is allowed if the
 * tables say that a transaction used up the other nonce for good and did nothing with the token. Until then, the
 * earlier bytes could be mined in addition to the new ones. Roots, keys and points may come twice, with the same result;
 * what a wallet signs about a token its code does once.
 */
async function assertSignedOnce(
  { tables, evidence }: AuthorizationOptions,
  { network, nonce }: Intent,
  { address: sender }: SendingWallet,
  { act, application }: { act: ContractAct; application: string },
): Promise<void> {
  const deed = singleDeeds[act.kind]
  if (deed === null) return
  const tokens = 'tokenIds' in act ? act.tokenIds : 'tokenId' in act ? [act.tokenId] : []
  const reservation = { network, application, deed, tokens, sender, nonce } as const
  const elsewhere = await evidence.listTokensSignedElsewhere(reservation)
  const released = elsewhere.length > 0 ? new Set(await tables.listReleasedTokens(network, elsewhere)) : new Set()
  const boundTokens = elsewhere.filter(({ token }) => !released.has(token))
  if (boundTokens.length === 0 && (await evidence.reserveTokens(reservation, elsewhere))) return
  const ownNonces = boundTokens.filter((one) => one.sender === sender).map((one) => one.nonce)
  const lastNonce = ownNonces.length > 0 ? Math.max(...ownNonces) : null
  throw new SigningRefusedError(
    403,
    'SIGNED_BEFORE',
    'The same was signed under a nonce that is not over.',
    boundTokens.length > 0 ? lastNonce : undefined,
  )
}
