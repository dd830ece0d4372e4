import Router from '@koa/router'
import { expect } from 'chai'
import { operations } from '../../../../core/app/operations.ts'
import { createDispatcher } from '../../../../core/http/pipeline/dispatch.ts'

/** Values of parameters: plain ones, those that are words of other routes, and those that are no text. */
const values = ['019a0b1c-0000-7000-8000-000000000001', 'validate', 'publish', 'a.b', '%2F', '%E0%A4%A', 'ä', '']

/** Paths for every route there is: its own with each value, longer and shorter ones, and ones in other spellings. */
function pathsFor(path: string): string[] {
  const filled = values.map((value) => path.replaceAll(/[:*]\w+/g, value))
  return filled.flatMap((each) => [each, `${each}/`, `${each}/more`, `/${each}`, each.toUpperCase(), each.slice(0, -1)])
}

describe('Routing of requests', () => {
  const router = new Router({ strict: true, sensitive: true })
  for (const {
    declaration: { path, method, id },
  } of operations) {
    router.register(path, [method.toLowerCase()], () => id)
  }
  for (const path of ['/', '/health/live', '/files/*rest', '/:form/credentials/issue']) router.get(path, () => path)
  const lead = createDispatcher(router)

  it('finds the same route and parameters as the router itself', async () => {
    const itself = router.routes()
    const paths = [...new Set(router.stack.flatMap(({ path }) => pathsFor(String(path))))].concat(
      '',
      '/'.repeat(10_000),
    )
    for (const path of paths) {
      for (const method of ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS', 'FETCH']) {
        const answers = []
        for (const way of [lead, itself]) {
          const ctx = { method, path, request: {}, params: undefined }
          const found: unknown = await way(ctx as never, () => Promise.resolve('none'))
          answers.push(found === 'none' ? found : [found, ctx.params])
        }
        expect(answers[0], `${method} ${path}`).to.deep.equal(answers[1])
      }
    }
  })

  it('refuses a router whose routes are not one handler each', () => {
    const other = new Router()
    other.use(() => undefined)
    expect(() => createDispatcher(other)).to.throw('no route with one handler')
  })
})
