import { Type, integer, list, object, string, uuid, type Static } from './schema.ts'

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
