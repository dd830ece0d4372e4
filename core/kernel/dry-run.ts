import { Type, boolean, integer, list, object, optional, string, uuid, type Static, type TSchema } from './schema.ts'
import type { Work } from './work.ts'

/** Maximum number of affected entities that a dry run shows. */
export const maxSamples = 10

/** The result of a dry run: what the operation would change. Nothing is stored. */
export const DryRun = object(
  {
    matched: integer('What the act is about.', { minimum: 0 }),
    willChange: integer('How many of these it would change.', { minimum: 0 }),
    samples: list(
      object(
        {
          id: uuid('Identifier.'),
          name: string('Name for people.'),
        },
        { title: 'DryRunSample', description: 'One of those that the act is about.' },
      ),
      'The first of those to look at.',
      {
        maxItems: maxSamples,
      },
    ),
    skipped: list(
      object(
        {
          reason: string('Why they stay as they are.'),
          count: integer('How many.', { minimum: 0 }),
        },
        { title: 'DryRunSkipped', description: 'Those that would stay as they are.' },
      ),
      'By reason.',
    ),
    warnings: list(Type.String(), 'What else is to be known before the act.'),
  },
  { title: 'DryRun', description: 'What an operation would do; with dryRun=true nothing is stored.' },
)
export type DryRun = Static<typeof DryRun>

/** Creates the schema of an answer with the same status as the dry run. */
export const orDryRun = <S extends TSchema>(schema: S) =>
  Type.Union([schema, DryRun], { description: 'With dryRun, what it would do.' })

/** Creates the dry run of an act on one entity. @param entity null if there is none yet */
export const createSingleDryRun = (entity: DryRun['samples'][number] | null, warnings: string[]): DryRun => ({
  matched: 1,
  willChange: 1,
  samples: entity ? [entity] : [],
  skipped: [],
  warnings,
})

/** The query parameter of every operation with `execution.hasDryRun`. */
export const dryRunQuery = { dryRun: optional(boolean('Only preview.')) }

/**
 * Runs an act in a savepoint and rolls it back, so that a dry run takes the same way as the act and is refused with the
 * same problems. Its rows, locks and notices are gone afterwards, and what the act wanted to do after the commit is
 * never done. Only for acts whose effects are all in the database, and short enough for others to wait for its locks.
 */
export async function rehearse<T>(work: Work, act: (work: Work) => Promise<T>): Promise<T> {
  const savepoint = await work.trx.transaction()
  try {
    return await act({ ...work, trx: savepoint, afterCommit: () => undefined })
  } finally {
    await savepoint.rollback()
  }
}

/** Counts what an act would leave as it is, by reason. Reasons are sentences for people. */
export class SkippedCounts {
  readonly #counts = new Map<string, number>()

  add(reason: string, count = 1): void {
    if (count > 0) this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + count)
  }

  /** Returns the reasons, the most frequent first. */
  list(): DryRun['skipped'] {
    return [...this.#counts].map(([reason, count]) => ({ reason, count })).sort((one, other) => other.count - one.count)
  }
}

/** Returns a count with its noun: "1 passport", "1,200 passports". */
export const formatCount = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? noun : plural}`
