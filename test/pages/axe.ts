import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Rules about what the scheme and the width of the window decide. */
const ofLook = ['color-contrast', 'target-size', 'scrollable-region-focusable']

interface AxeResult {
  violations: { id: string; nodes: { html: string }[] }[]
}

/** Puts axe into a page; its context has to pass over the page's own policy, `bypassCSP`. */
export const loadAxe = async (page: Page): Promise<void> => void (await page.evaluate(`${source}; void 0`))

/** What axe finds against a page that has it, one line a place. @param look only what scheme and width decide */
export async function listAccessibilityFaults(page: Page, look = false): Promise<string[]> {
  const options = look
    ? { runOnly: ofLook }
    : {
        runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] },
      }
  // What passes is not described node by node, which takes longer than the rules on a long page.
  const own = { ...options, resultTypes: ['violations'], preload: false }
  const { violations } = (await page.evaluate(`axe.run(document, ${JSON.stringify(own)})`)) as AxeResult
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}
