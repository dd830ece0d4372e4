import type { Knex } from 'knex'
import type { Finding } from '../answers.types.ts'
import type { PassportRow } from '../../passports/index.ts'
import { createFinding } from '../readiness.table.ts'
import type { Values } from './readiness.values.ts'

type PassportState = Pick<PassportRow, 'status' | 'certificationStatus'>

/** The states of the model and the batch that the numbers of a product lead to. */
interface ParentStatesRow {
  id: string
  model_status: PassportRow['status'] | null
  model_certified: boolean
  batch_status: PassportRow['status'] | null
  batch_certified: boolean
  /** Some of the models that have a batch with this number; only read if the batch is not found. */
  models: string[]
}

/** The maximum number of models that a finding names. */
const maxModels = 3

/** A passport whose links are checked. The application has to belong to the organization. */
interface LinkedPassport {
  id: string
  application: string
  product: Values
}

/** Checks whether the numbers of a product can lead to a model or a batch. */
const namesParents = ({ idGranularity, modelNumber, batchNumber }: Values) =>
  (idGranularity === 'item' || idGranularity === 'batch') && (modelNumber !== undefined || batchNumber !== undefined)

/**
 * Reads the states of the models and batches that the numbers of these passports lead to, in one statement.
 * @returns the states by passport; none for a passport whose numbers can lead to no parent
 */
export async function readParentStates(
  db: Knex,
  organization: string,
  passports: readonly LinkedPassport[],
): Promise<ReadonlyMap<string, ParentStatesRow>> {
  const children = passports.filter(({ product }) => namesParents(product))
  if (children.length === 0) return new Map()
  const numbers = children.map(({ product: { idGranularity, modelNumber, batchNumber } }) =>
    JSON.stringify({ idGranularity, modelNumber, batchNumber }),
  )
  const { rows } = await db.raw<{ rows: ParentStatesRow[] }>(
    `select child.id, m.status as model_status, m.certification_status is not distinct from 'certified' as model_certified,
       b.status as batch_status, b.certification_status is not distinct from 'certified' as batch_certified,
       case when parents.batch is null then array(
         select p.product ->> 'modelNumber' from passports p
         where p.application = child.application and p.organization = child.organization
           and (p.product ->> 'idGranularity') = 'batch'
           and (p.product ->> 'batchNumber') = (child.numbers ->> 'batchNumber')
         order by 1 limit ${maxModels + 1}
       ) else '{}' end as models
     from (
         select id, application, numbers, ?::uuid as organization
         from unnest(?::uuid[], ?::uuid[], ?::jsonb[]) as sent (id, application, numbers)
       ) child
       cross join lateral passport_parents(child.application, child.numbers) parents
       left join passports m on m.id = (parents.model ->> 'id')::uuid and m.organization = child.organization
       left join passports b on b.id = (parents.batch ->> 'id')::uuid and b.organization = child.organization`,
    [organization, children.map(({ id }) => id), children.map(({ application }) => application), numbers],
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/**
 * Validates the links of a passport to the passports of its model and batch, which are found by their numbers in its
 * application.
 * @param parentStates what `readParentStates` returned for the passport
 * @param state the state of the passport; undefined for one that does not exist yet
 */
export function validateParentLinks(
  product: Values,
  parentStates: ParentStatesRow | undefined,
  state?: PassportState,
): Finding[] {
  const { idGranularity, modelNumber, batchNumber } = product
  if (idGranularity !== 'item' && idGranularity !== 'batch') return []
  if (parentStates === undefined) {
    return [createFinding('no_parent', 'product.modelNumber', 'is missing, so the item hangs on no model')]
  }
  const findings =
    idGranularity === 'item' && typeof batchNumber === 'string' && parentStates.batch_status === null
      ? [createMissingBatchFinding(parentStates.models, modelNumber)]
      : []
  if (typeof modelNumber === 'string' && parentStates.model_status === null) {
    const what = 'names no model of the application that has a passport'
    findings.push(createFinding('model_not_linked', 'product.modelNumber', what))
  }
  return [
    ...findings,
    ...validateParent('product.modelNumber', parentStates.model_status, parentStates.model_certified, state),
    ...validateParent('product.batchNumber', parentStates.batch_status, parentStates.batch_certified, state),
  ]
}

/**
 * Creates the finding for a batch that no passport was found for, with the distinctions of the structure job: a missing
 * parent may come later, but numbers that can lead to no parent are wrong for good.
 */
function createMissingBatchFinding(models: readonly string[], modelNumber: unknown): Finding {
  const modelNames = models.slice(0, maxModels).join(', ') + (models.length > maxModels ? ' and others' : '')
  if (models.length === 0) {
    return createFinding(
      'batch_not_linked',
      'product.batchNumber',
      'names no batch of the application that has a passport',
    )
  }
  return typeof modelNumber === 'string'
    ? createFinding(
        'batch_of_other_model',
        'product.batchNumber',
        `is a batch of model ${modelNames}, not of model ${modelNumber}`,
      )
    : createFinding(
        'batch_of_several_models',
        'product.modelNumber',
        `is missing, and models ${modelNames} have this batch`,
        { example: models[0] },
      )
}

function validateParent(
  at: string,
  status: ParentStatesRow['model_status'],
  certified: boolean,
  state?: PassportState,
): Finding[] {
  if (status === null) return []
  const found: Finding[] = []
  if (status === 'draft')
    found.push(createFinding('parent_not_published', at, 'names a passport that is not published'))
  if (state?.certificationStatus === 'certified' && !certified) {
    found.push(createFinding('parent_not_certified', at, 'names a passport that is not certified'))
  }
  return found
}
