import type { Knex } from 'knex'
import type { Network } from '../chains/networks.ts'
import type {
  ChainRecordKind,
  PointsOperationKind,
  PointsOutcomeHandler,
  RecordOutcomeHandler,
  TokenOperationKind,
  TokenOutcomeHandler,
} from '../chains/port.ts'
import type { DryRun } from '../kernel/dry-run.ts'
import type { JobDeclaration } from '../kernel/job.ts'
import type { Operation } from '../kernel/operation.ts'
import type { RecordSink } from '../kernel/ports/record-sink.ts'
import type { RoleActions } from '../kernel/permission.ts'
import type { ProblemCodeTable } from '../kernel/problem-codes.ts'
import type { EventSubject, EventSubjects, Resource } from '../kernel/words.ts'
import type { Context } from '../kernel/work.ts'
import type { MeterTotal } from '../meters/index.ts'
import type { RetentionDays, TableRetention } from '../queue/upkeep/retention.ts'
import type { UpkeepTask } from '../queue/upkeep/upkeep.ts'

/**
 * Something that may keep an application from being deleted. It is called before the row of the application is locked,
 * so that it can lock rows of its own first. The function that it returns runs under that lock and tells whether the
 * application is in use.
 */
export type ApplicationBlocker = (trx: Knex, application: string) => Promise<() => Promise<boolean>>

/** Something that is deleted with an application: a noun, such as `product sheet`, and how many there are. */
export interface ApplicationPart {
  noun: string
  count: number
}
export type ApplicationPartsReader = (trx: Knex, application: string) => Promise<readonly ApplicationPart[]>

/** A change of an application. Only what other areas follow is named. */
export interface ApplicationChange {
  id: string
  organization: string
  before: FollowedSettings
  after: FollowedSettings
}
interface FollowedSettings {
  loyaltySettings: { visitsWindowDays?: number }
}

/** What an area does in the transaction that changes an application, whose row is locked. */
export type ApplicationListener = (trx: Knex, context: Context, change: ApplicationChange) => Promise<void>

/** An account that is being created or deleted. */
export interface AccountSubject {
  id: string
  organization: string
  application: string
  network: Network
  /** Address of its wallet. */
  address: string
  /** The person. */
  user: string
}

/**
 * What an area does in the transaction that creates an account, or deletes it. Accounts are locked by then: only rows that
 * stand behind `accounts` in the order of locks may be locked, and those of this account alone before it.
 */
export type AccountListener = (trx: Knex, context: Context, account: AccountSubject) => Promise<void>

/** What all areas do when an account is created, and when one is deleted. */
export interface AccountLife {
  begin: AccountListener
  end: AccountListener
}

/** What erases the next part of what an area keeps of the persons of a deleted organization. */
export interface ErasureRun {
  context: Context
  organization: string
  applications: readonly string[]
  /** About how many rows a step erases at most. */
  limit: number
  /**
   * Runs a step in a transaction under the lock of the organization. If there is nothing to erase there any more, it does
   * nothing and returns 0.
   */
  runStep(step: (trx: Knex) => Promise<number>): Promise<number>
}

/**
 * Erases a batch of the personal data of a deleted organization for ever; what is public stays. It is called until it
 * returns 0, and again from the beginning after a failure.
 * @returns the number of rows that were erased
 */
export type OrganizationErasure = (run: ErasureRun) => Promise<number>

/** What a certification key has signed, before and after its revocation. */
export interface KeyUse {
  /** All credentials that the key has signed. */
  credentials: number
  /** Those that verification refuses already, because the key was revoked before. */
  alreadyFailing: number
  /** Those that verification will refuse, the former among them. */
  failing: number
  /** The passports of those that begin to fail: how many, and the first ten. */
  passports: number
  samples: DryRun['samples']
}

/**
 * The state of a key as far as its signatures depend on it: null while it is not revoked, else since when it is
 * compromised, where null means from the beginning.
 */
export type KeyCompromise = { since: Date | null } | null

export type KeyUseReader = (
  trx: Knex,
  key: { organization: string; id: string },
  states: { before: KeyCompromise; after: KeyCompromise },
) => Promise<KeyUse>

/** What all areas contribute together, for operations that serve every area. */
export interface SharedContributions {
  readonly jobs: readonly JobDeclaration<unknown>[]
  readonly applicationBlockers: readonly ApplicationBlocker[]
  readonly applicationParts: readonly ApplicationPartsReader[]
  readonly applicationChanges: readonly ApplicationListener[]
  readonly keyUses: readonly KeyUseReader[]
}

/** A service that a worker starts and stops. */
export interface WorkerService {
  stop(): Promise<void>
}

/** The kinds of chain operations whose outcomes an area takes, and the handler that takes them. */
export interface OutcomeTaker<Kind extends string, Handler> {
  readonly kinds: readonly Kind[]
  createHandler(context: Context): Handler
}

/** Operations that a client with a small context loads together. */
export interface Toolset {
  readonly name: string
  /** What they are about, for whoever has to choose: a few words. */
  readonly topics: string
  /** Beginnings of paths of the document, as regular expressions. Of several that match, the longest match counts. */
  readonly paths: readonly string[]
}

/** Everything that an area of the product contributes to the processes. `core/app/registry.ts` lists the areas. */
export interface Area {
  /** Name of the folder of the area. */
  readonly name: string
  /** The operations in the order of the document; a function if they need what other areas contribute. */
  readonly operations?: readonly Operation[] | ((shared: SharedContributions) => readonly Operation[])
  /** Descriptions of the tags that its operations have in the document. */
  readonly tags?: Readonly<Record<string, string>>
  /**
   * Creates schemas for the document that no operation refers to, each with a title. One with `x-mcp-resource` is a
   * resource of the bridge under that name.
   */
  readonly documentSchemas?: () => readonly object[]
  readonly toolset?: Toolset
  readonly jobs?: readonly JobDeclaration<unknown>[]
  /** The subjects of the area's events, each with the types of its events. */
  readonly events?: { readonly [S in EventSubject]?: readonly EventSubjects[S][] }
  /** The codes of the area's own problems. The codes that any operation can answer belong to the kernel. */
  readonly problemCodes?: ProblemCodeTable
  /** The resources of the area's permissions, each with what members may do with it. */
  readonly permissions?: { readonly [R in Resource]?: RoleActions }
  /** How long the rows of each table of the area are kept, or the reason why they stay. */
  readonly retentions?: (days: RetentionDays) => Readonly<Record<string, TableRetention>>
  /** Tasks that the worker runs every hour, and that an operator can run at once. */
  readonly cleaning?: readonly UpkeepTask[]
  /** Tasks that only the worker runs, every hour. */
  readonly upkeep?: readonly UpkeepTask[]
  /** Tasks for when the clock is set back: they repair times in the future, which would otherwise last too long. */
  readonly clockRepairs?: readonly UpkeepTask[]
  /** Starts what runs in every worker for as long as the worker lives. */
  readonly services?: readonly ((context: Context) => WorkerService)[]
  readonly tokenOutcomes?: OutcomeTaker<TokenOperationKind, TokenOutcomeHandler>
  readonly recordOutcomes?: OutcomeTaker<ChainRecordKind, RecordOutcomeHandler>
  readonly pointOutcomes?: OutcomeTaker<PointsOperationKind, PointsOutcomeHandler>
  /** What imports write to. The first sink of all areas takes the records of requests that name no entity. */
  readonly recordSinks?: readonly RecordSink[]
  readonly applicationBlockers?: readonly ApplicationBlocker[]
  /** Runs in the transaction that changes an application. */
  readonly applicationChanges?: readonly ApplicationListener[]
  /** Runs in the transaction that creates an account, once for each account, however many sign-ins race. */
  readonly accountArrivals?: readonly AccountListener[]
  /** Runs in the transaction that deletes an account, after its row has lost its person. */
  readonly accountDepartures?: readonly AccountListener[]
  /** Runs 30 days after an organization was deleted. Later areas erase first, because they rest on earlier ones. */
  readonly organizationErasures?: readonly OrganizationErasure[]
  /** Reads what of the area is deleted with an application. */
  readonly applicationParts?: ApplicationPartsReader
  /** Reads what of the area a certification key has signed. */
  readonly keyUse?: KeyUseReader
  /** Reads what the area's rows have used of meters, to check what the meters say. */
  readonly usedUnits?: UnitsReader
}

/** Reads from rows how many units of meters organizations have used from one instant, inclusive, to another, exclusive. */
export type UnitsReader = (db: Knex, from: Date, to: Date) => Promise<readonly MeterTotal[]>

/** Declares an area. Its members keep their exact types. */
export function area<const A extends Area>(declaration: A): A {
  return declaration
}
