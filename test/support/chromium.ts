import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { chromium, type Browser } from 'playwright-core'
import { findProgram } from '../../core/embedded/tied.ts'

/** Stands in the title of every suite that needs a browser. */
export const browserMark = '[browser]'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const run = promisify(execFile)

/** The browser of this machine; root installs the distribution's package when there is none. */
export async function findChromium(say: (line: string) => void): Promise<string | undefined> {
  const found = findProgram(...names)
  if (found !== undefined || process.getuid?.() !== 0 || !findProgram('apt-get')) return found
  say('Installing the package chromium (apt-get)')
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  try {
    // One package source that is away fails the whole update; what counts is whether the package can be had.
    await run('apt-get', ['update', '-qq'], { env }).catch((cause: Error) => say(cause.message))
    await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], { env, maxBuffer: 2 ** 26 })
  } catch (cause) {
    say(`chromium cannot be installed: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
  return findProgram(...names)
}

/** `describe` for tests in a browser: skipped, and reported as such, where none can be had. */
export function describeInBrowser(title: string, body: (this: Mocha.Suite) => void): void {
  const define = process.env['TEST_CHROMIUM'] ? describe : describe.skip
  define(`${browserMark} ${title}`, body)
}

export function openBrowser(): Promise<Browser> {
  const executablePath = process.env['TEST_CHROMIUM']
  if (!executablePath) throw new Error('No Chromium: start the tests with npm test')
  return chromium.launch({
    executablePath,
    args: [
      '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
      '--disable-background-networking', '--disable-component-update', '--disable-sync',
    ],
  })
}
