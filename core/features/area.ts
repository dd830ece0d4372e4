import type { Knex } from 'knex'
import type { ChainRecordKind, RecordOutcomeHandler, TokenOperationKind, TokenOutcomeHandler } from '../chains/port.ts'
import type { JobDeclaration } from '../kernel/job.ts'
import type { Operation } from '../kernel/operation.ts'
import type { RoleActions } from '../kernel/permission.ts'
import type { ProblemCodeTable } from '../kernel/problem-codes.ts'
import type { EventSubject, EventSubjects, Resource } from '../kernel/words.ts'
import type { Context } from '../kernel/work.ts'
import type { RetentionDays, TableRetention } from '../queue/upkeep/retention.ts'
import type { UpkeepTask } from '../queue/upkeep/upkeep.ts'

/**
 * Something that may keep an application from being deleted. It is called before the row of the application is locked,
 * so that it can lock rows of its own first. The function that it returns runs under that lock and tells whether the
 * application is in use.
 */
export type ApplicationBlocker = (trx: Knex, application: string) => Promise<() => Promise<boolean>>

/** What all areas contribute together, for operations that serve every area. */
export interface SharedContributions {
  readonly jobs: readonly JobDeclaration<unknown>[]
  readonly applicationBlockers: readonly ApplicationBlocker[]
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
  readonly applicationBlockers?: readonly ApplicationBlocker[]
}

/** Declares an area. Its members keep their exact types. */
export function area<const A extends Area>(declaration: A): A {
  return declaration
}
