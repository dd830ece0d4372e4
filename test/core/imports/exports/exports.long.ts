import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { type Correspondence, toMapperRow } from '../../../../core/features/imports/index.ts'
import { platform } from '../../../support/platform.ts'
import { buildKey, buildShop, type Shop } from '../../../support/world.ts'
import { waitForImport } from '../engine/job.maker.ts'
import { createMapper, sendFile } from '../intake/intake.maker.ts'
import { decodeExport, exportFiles, exportRows, openExport, parseExport, type ExportFile } from './exports.ts'

/**
 * Exports of ten kinds of systems: a catalogue of fashion, the material master of an ERP, a web shop, lists in Italian,
 * French, German and Spanish, furniture, batteries, and a data pool. They are made up; their headings are those of the
 * systems.
 */
describe('POST /v1/import/mappers/suggest-mapping, then POST /v1/imports: exports of real systems', function () {
  this.timeout(60_000)
  let shop: Shop
  before(async () => {
    shop = await buildShop()
  })

  async function suggest(file: ExportFile): Promise<Correspondence[]> {
    const body = { application: shop.application, sample: decodeExport(file) }
    const answer = await shop.api.post('/v1/import/mappers/suggest-mapping', body)
    expect(answer.status, answer.text).to.equal(200)
    return answer.body['correspondences'] as unknown as Correspondence[]
  }

  for (const file of exportFiles) {
    it(`imports each row that can be, by what is suggested alone: ${file.name}`, async () => {
      const suggested = await suggest(file)
      const filled = suggested.filter(({ confidence }) => confidence !== 'low')
      if (process.env['SHOW_EXPORTS']) show(suggested, file)
      const mapperId = await createMapper(shop, { name: file.name, rows: filled.map(toMapperRow) })
      const { bytes, type } = openExport(file)
      const sent = await sendFile(shop, bytes, { type, query: { mapperId } })
      expect(sent.status, sent.text).to.equal(202)
      const { counts, errors } = await waitForImport(shop, String(sent.body['id']))
      const failed = [...new Set(errors.map(({ line }) => line - 1))].map(String)
      const why = errors
        .map(({ line, path, message, value }) => `${line - 1}: ${path} ${message} (${value})`)
        .join('\n')
      expect(failed, why).to.deep.equal(Object.keys(file.impossible))
      expect(counts, why).to.deep.equal({
        created: exportRows - failed.length,
        updated: 0,
        skipped: 0,
        failed: failed.length,
      })
      const sure = suggested.filter(({ confidence }) => confidence === 'high').map(({ destination }) => destination)
      expect(sure.filter((path) => errors.some((error) => error.path.startsWith(path)))).to.deep.equal([])
      const granularity = filled.find(({ destination }) => destination === 'product.idGranularity')
      expect(granularity?.value).to.equal(file.granularity)
    })
  }

  it('works as the documentation writes it', async () => {
    const page = readFileSync(new URL('../../../../core/docs/imports.md', import.meta.url), 'utf8')
    const [, script = ''] = /```js\n([^]*?)```/.exec(page) ?? []
    const folder = mkdtempSync(join(tmpdir(), 'tessera-export-'))
    writeFileSync(join(folder, 'export.mjs'), script)
    const products = new URL('../../../../core/pages/console/imports/new/sample/products.csv', import.meta.url)
    copyFileSync(products, join(folder, 'export.csv'))
    const { key } = await buildKey(shop.organization, { dpp: ['create', 'read', 'update'] })
    const { stdout } = await promisify(execFile)(process.execPath, ['export.mjs'], {
      cwd: folder,
      env: { ...process.env, API: platform.api, API_KEY: key, APPLICATION: shop.application },
    })
    rmSync(folder, { recursive: true })
    const { counts } = await waitForImport(shop, /id: '([0-9a-f-]{36})'/.exec(stdout)?.[1] ?? '')
    expect(counts).to.deep.equal({ created: 12, updated: 0, skipped: 0, failed: 0 })
  })
})

/** Shows what is suggested, for whoever changes how it is found. */
function show(suggested: readonly Correspondence[], file: ExportFile): void {
  const used = suggested.map(({ source }) => source)
  for (const { source, value, destination, confidence, transforms, evidence } of suggested)
    console.log(
      `${confidence.padEnd(6)} ${String(source ?? value).padEnd(30)} ${destination} [${transforms.join('; ')}] ${evidence}`,
    )
  console.log(
    'unused',
    parseExport(file)[0]
      ?.filter((name) => !used.includes(name))
      .join(' | '),
  )
}
