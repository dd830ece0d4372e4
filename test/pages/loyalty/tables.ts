import { expect } from 'chai'
import { createApiClient } from '../../support/client.ts'
import { platform } from '../../support/platform.ts'
import type { Shop } from '../../support/world.ts'
import { waitForImport } from '../../core/imports/engine/job.maker.ts'

/** Pastes a table with a good line and a bad one, and imports another. @returns the pages about them */
export async function prepareTable(shop: Shop, cookie: string): Promise<string[]> {
  const api = createApiClient({ cookie })
  const headers = { origin: new URL(platform.api).origin, 'content-type': 'application/x-www-form-urlencoded' }
  const post = async (path: string, form: Record<string, string>) => {
    const answer = await api.post(path, undefined, { raw: new URLSearchParams(form).toString(), headers })
    expect(answer.status, answer.text).to.equal(303)
    return String(answer.headers['location'])
  }
  const paste = async (): Promise<string> => {
    const address = await post('/console/assignments/table', {
      table: `email;points\nlook${Date.now()}@people.example;5\nnobody;3`,
    })
    const form = { application: shop.application, d0: 'email', t0: 'trim', d1: 'optimisticBalance' }
    expect(await post(address, form)).to.equal(`${address}/preview`)
    return address
  }
  const [waiting, imported] = [await paste(), await paste()]
  const report = await post(`${imported}/start`, { onDuplicate: 'skip', what: 'import' })
  await waitForImport(shop, String(report.split('/').at(-1)))
  return [waiting, `${waiting}/preview`, report]
}
