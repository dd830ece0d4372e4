import { done, ended, holds, json, type Client, type Stage } from './client.ts'

const rows = [
  { destination: 'reference', kind: 'field' as const, source: 'ref', required: true },
  { destination: 'product.idGranularity', kind: 'constant' as const, value: 'item' },
  { destination: 'product.name', kind: 'field' as const, source: 'name' },
  { destination: 'product.itemNumber', kind: 'field' as const, source: 'ref' },
]

/** Mappers: suggested, tried, made, changed and run. @returns one that reads CSV */
async function callMappers(api: Client, { application, newDomain }: Stage): Promise<string> {
  await done(api.POST('/v1/import/mappers/suggest-mapping', { body: { application, fields: [{ id: 'name', example: 'Bag' }] } }))
  const mapper = { format: 'csv' as const, rows }
  await done(api.POST('/v1/import/mappers/preview', { body: { mapper, application, sample: 'ref,name\n1,Bag\n' } }))
  const body = { application, type: 'file' as const, name: 'Bags', format: 'csv' as const, rows }
  const { id } = await done(api.POST('/v1/import/mappers', { body }))
  await done(api.PATCH('/v1/import/mappers/{id}', { params: { path: { id } }, body: { name: 'All bags' } }))
  const { name } = await done(api.GET('/v1/import/mappers/{id}', { params: { path: { id } } }))
  holds(name === 'All bags', 'the name is changed')
  const query = { filters: json([{ field: 'id', operator: 'eq', value: id }]) }
  holds((await done(api.GET('/v1/import/mappers', { params: { query } }))).total === 1, 'a filter by id finds one mapper')
  const url = `https://${newDomain()}/bags.csv`
  const fetched = await done(api.POST('/v1/import/mappers', { body: { ...body, type: 'url', name: 'From an address', url } }))
  const { jobId } = await done(api.POST('/v1/import/mappers/{id}/run', { params: { path: { id: fetched.id } } }))
  await done(api.GET('/v1/import/mappers/running', { params: { query: { application } } }))
  await ended(api, jobId)
  await done(api.DELETE('/v1/import/mappers/{id}', { params: { path: { id: fetched.id } } }))
  return id
}

/** Files in every form that the document names, and what is told of them. */
export async function callImports(api: Client, stage: Stage): Promise<void> {
  const mapperId = await callMappers(api, stage)
  const { application } = stage
  const query = { entityName: 'DppPassport', application } as const
  const item = (itemNumber: string) => ({ product: { idGranularity: 'item', name: 'Bag', itemNumber } })
  const asJson = await done(api.POST('/v1/imports', { params: { query }, body: [item('J-1')] }))
  await done(api.GET('/v1/imports/{id}/progress', {
    params: { path: { id: asJson.id } }, parseAs: 'text', headers: { Accept: 'text/event-stream' },
  }))
  const text = (body: string, type: string) => ({ body, bodySerializer: (given: unknown) => String(given), headers: { 'Content-Type': type } })
  const lines = `${json(item('N-1'))}\n${json(item('N-2'))}\n`
  const asLines = await done(api.POST('/v1/imports', { params: { query }, ...text(lines, 'application/x-ndjson') }))
  const table = 'ref,name\nT-1,Bag\n'
  const asTable = await done(api.POST('/v1/imports', { params: { query: { ...query, mapperId } }, ...text(table, 'text/csv') }))
  const form = new FormData()
  form.append('file', new Blob([json([item('F-1')])], { type: 'application/json' }), 'bags.json')
  const asForm = await done(api.POST('/v1/imports', { params: { query }, body: { file: 'bags.json' }, bodySerializer: () => form }))
  for (const [{ id }, expected] of [[asJson, 1], [asLines, 2], [asTable, 1], [asForm, 1]] as const) {
    await ended(api, id)
    const { completed } = await done(api.GET('/v1/imports/{id}', { params: { path: { id } } }))
    holds(completed === expected, `${expected} rows of ${id} are imported`)
  }
  const filters = json([{ field: 'name', operator: 'eq', value: 'batch' }])
  const { total } = await done(api.GET('/v1/imports', { params: { query: { filters } } }))
  holds(total >= 4, 'the imports are listed')
  await done(api.GET('/v1/imports/{id}/report', { params: { path: { id: asTable.id } } }))
  const events = await done(api.GET('/v1/events', { params: { query: { filters: json([{ field: 'type', operator: 'eq', value: 'create' }]) } } }))
  holds(events.data.every(({ type }) => type === 'create'), 'a filter by type is kept to')
}
