import type { Knex } from 'knex'
import type { Finding } from './open.types.ts'
import type { PassportRow } from './passports.model.ts'
import { finding } from './readiness.table.ts'
import type { Values } from './readiness.values.ts'

type State = Pick<PassportRow, 'status' | 'certificationStatus'>

/** What the numbers of a product lead to. */
interface Led {
  model_status: PassportRow['status'] | null
  model_certified: boolean
  batch_status: PassportRow['status'] | null
  batch_certified: boolean
  /** Some models that have a batch of this number; looked for where the batch is not found. */
  models: string[]
}

/** Models told in a sentence. */
const mostModels = 3

/**
 * Where a passport does not hang on the passports of its model and batch, which are found by their numbers in its
 * application. The application has to be the organization's. @param state of the passport; undefined for one not made
 */
export async function judgeLinks(
  db: Knex, owner: { organization: string; application: string }, product: Values, state?: State,
): Promise<Finding[]> {
  const { idGranularity, modelNumber, batchNumber } = product
  if (idGranularity !== 'item' && idGranularity !== 'batch') return []
  if (modelNumber === undefined && batchNumber === undefined) {
    return [finding('no_parent', 'product.modelNumber', 'is missing, so the item hangs on no model')]
  }
  const led = await lookUp(db, owner, product)
  const found = idGranularity === 'item' && typeof batchNumber === 'string' && led.batch_status === null
    ? [missingBatch(led.models, modelNumber)]
    : []
  if (typeof modelNumber === 'string' && led.model_status === null) {
    const what = 'names no model of the application that has a passport'
    found.push(finding('model_not_linked', 'product.modelNumber', what))
  }
  return [
    ...found,
    ...judgeParent('product.modelNumber', led.model_status, led.model_certified, state),
    ...judgeParent('product.batchNumber', led.batch_status, led.batch_certified, state),
  ]
}

async function lookUp(
  db: Knex, { organization, application }: { organization: string; application: string }, product: Values,
): Promise<Led> {
  const { idGranularity, modelNumber, batchNumber } = product
  const child = JSON.stringify({ idGranularity, modelNumber, batchNumber })
  const { rows: [row] } = await db.raw<{ rows: Led[] }>(
    `select m.status as model_status, m.certification_status is not distinct from 'certified' as model_certified,
       b.status as batch_status, b.certification_status is not distinct from 'certified' as batch_certified,
       case when parents.batch is null then array(
         select p.product ->> 'modelNumber' from passports p
         where p.application = :application and p.organization = :organization
           and (p.product ->> 'idGranularity') = 'batch'
           and (p.product ->> 'batchNumber') = (:child::jsonb ->> 'batchNumber')
         order by 1 limit ${mostModels + 1}
       ) else '{}' end as models
     from passport_parents(:application, :child::jsonb) parents
       left join passports m on m.id = (parents.model ->> 'id')::uuid and m.organization = :organization
       left join passports b on b.id = (parents.batch ->> 'id')::uuid and b.organization = :organization`,
    { organization, application, child })
  return row as Led
}

/** As the structure job tells it: a parent may come later, numbers that can lead to none are wrong for good. */
function missingBatch(models: readonly string[], modelNumber: unknown): Finding {
  const told = models.slice(0, mostModels).join(', ') + (models.length > mostModels ? ' and others' : '')
  if (models.length === 0) {
    return finding('batch_not_linked', 'product.batchNumber', 'names no batch of the application that has a passport')
  }
  return typeof modelNumber === 'string'
    ? finding('batch_of_other_model', 'product.batchNumber', `is a batch of model ${told}, not of model ${modelNumber}`)
    : finding('batch_of_several_models', 'product.modelNumber', `is missing, and models ${told} have this batch`)
}

function judgeParent(at: string, status: Led['model_status'], certified: boolean, state?: State): Finding[] {
  if (status === null) return []
  const found: Finding[] = []
  if (status === 'draft') found.push(finding('parent_not_published', at, 'names a passport that is not published'))
  if (state?.certificationStatus === 'certified' && !certified) {
    found.push(finding('parent_not_certified', at, 'names a passport that is not certified'))
  }
  return found
}
