import type { Client } from 'tessera-client'
import { asStream, assertThat, unwrap, waitForImport, waitForJob, type Stage } from './stage.ts'

const rows = [
  { destination: 'reference', kind: 'field' as const, source: 'ref', required: true },
  { destination: 'product.idGranularity', kind: 'constant' as const, value: 'item' },
  { destination: 'product.name', kind: 'field' as const, source: 'name' },
  { destination: 'product.itemNumber', kind: 'field' as const, source: 'ref' },
]

/** Mappers: suggested, tried, made, changed and run. */
async function callMappers(api: Client, { application, newDomain }: Stage): Promise<void> {
  await unwrap(
    api.POST('/v1/import/mappers/suggest-mapping', { body: { application, fields: [{ id: 'name', example: 'Bag' }] } }),
  )
  const mapper = { format: 'csv' as const, rows }
  await unwrap(api.POST('/v1/import/mappers/preview', { body: { mapper, application, sample: 'ref,name\n1,Bag\n' } }))
  const body = { application, type: 'file' as const, name: 'Bags', format: 'csv' as const, rows }
  const { id } = await unwrap(api.POST('/v1/import/mappers', { body }))
  await unwrap(api.PATCH('/v1/import/mappers/{id}', { params: { path: { id } }, body: { name: 'All bags' } }))
  const { name } = await unwrap(api.GET('/v1/import/mappers/{id}', { params: { path: { id } } }))
  assertThat(name === 'All bags', 'the name is changed')
  const query = { filters: api.toQuery([{ field: 'id', operator: 'eq', value: id }]) }
  assertThat(
    (await unwrap(api.GET('/v1/import/mappers', { params: { query } }))).total === 1,
    'a filter by id finds one mapper',
  )
  const url = `https://${newDomain()}/bags.csv`
  const fetched = await unwrap(
    api.POST('/v1/import/mappers', { body: { ...body, type: 'url', name: 'From an address', url } }),
  )
  const { jobId } = await unwrap(api.POST('/v1/import/mappers/{id}/run', { params: { path: { id: fetched.id } } }))
  await unwrap(api.GET('/v1/import/mappers/running', { params: { query: { application } } }))
  await waitForJob(api, jobId)
  await unwrap(api.DELETE('/v1/import/mappers/{id}', { params: { path: { id: fetched.id } } }))
}

/** Imports a list and a table, and reads what became of them. */
export async function callImports(api: Client, stage: Stage): Promise<void> {
  await callMappers(api, stage)
  const { application } = stage
  const query = { entityName: 'DppPassport', application } as const
  const product = { idGranularity: 'item', name: 'Bag', itemNumber: 'J-1' }
  const asJson = await unwrap(api.POST('/v1/imports', { params: { query }, body: [{ product }] }))
  await unwrap(api.GET('/v1/imports/{id}/progress', { params: { path: { id: asJson.id } }, ...asStream }))
  const suggested = await unwrap(
    api.POST('/v1/imports/table', { body: { application, text: 'Seriennummer;Bezeichnung\nS-1;Tasche\n' } }),
  )
  assertThat('mapping' in suggested && suggested.unclear.length > 0, 'a suggested mapping is told before it is used')
  const imported = await unwrap(
    api.POST('/v1/imports/table', { body: { application, text: 'ref,name\nT-3,Bag\n', mapping: rows } }),
  )
  assertThat('jobId' in imported, 'a table with a mapping is imported')
  for (const { id } of [asJson, imported]) await waitForImport(api, id, 1)
  const filters = api.toQuery([{ field: 'name', operator: 'eq', value: 'batch' }])
  const { total } = await unwrap(api.GET('/v1/imports', { params: { query: { filters } } }))
  assertThat(total >= 2, 'the imports are listed')
  await unwrap(api.GET('/v1/imports/{id}/report', { params: { path: { id: imported.id } } }))
  const ofType = api.toQuery([{ field: 'type', operator: 'eq', value: 'create' }])
  const events = await unwrap(api.GET('/v1/events', { params: { query: { filters: ofType } } }))
  assertThat(
    events.data.every(({ type }) => type === 'create'),
    'a filter by type is kept to',
  )
}
