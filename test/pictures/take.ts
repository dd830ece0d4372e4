import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { starts } from '../../core/features/applications/index.ts'
import { exitProcess } from '../../core/kernel/process/exit.ts'
import { brandPictures } from '../pages/brand/pictures.ts'
import { createTemporaryFolder, removeFolder } from '../support/folders.ts'
import { findChromium, openBrowser } from '../support/network/chromium.ts'
import { startDnsServer } from '../support/network/dns.ts'
import { startPlatform, type OwnPlatform } from '../support/own-platform.ts'
import { createSharedEnvironment } from '../support/platform.ts'
import { closeEverything } from '../support/suite/closing.ts'
import { photographEverywhere } from './camera.ts'
import { takeReadmePictures } from './readme.ts'
import { createPassportStates, type Looks } from './states.ts'

/** The looks in which every state is shown. The first are those of the README; further ones are further values. */
const looks: Readonly<Record<string, Looks>> = {
  alba: createLooks('editorial', {
    title: 'Alba Bags',
    texts: {
      en: {
        tagline: 'Made in Porto since 1921',
        story: 'Three rooms above a courtyard, eleven people, one bag at a time.',
        care: 'Brush it dry. Wax it once a year, and let it rest for a night.',
        help: 'care@alba-bags.example, on weekdays from nine to six',
      },
    },
  }),
  fjord: createLooks('bold', {
    title: 'Fjord & Sons',
    texts: { en: { tagline: 'Bags for bad weather', help: 'hello@fjord-bags.example' } },
  }),
}

/** Creates the looks of a brand with a logo and a wide picture, from one of the finished ones, shown as the device says. */
function createLooks(start: keyof typeof starts, own: Looks): Looks {
  const pictures = { logoUrl: brandPictures.logo, bgImageUrl: brandPictures.shop }
  return { ...starts[start], mode: 'auto', ...pictures, ...own }
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const readmeFolder = join(root, 'core/pages/pictures')
const printLine = (line: string) => process.stdout.write(`${line}\n`)

/**
 * Takes pictures of pages, with data that it makes over the API of a platform in a temporary folder: those of the
 * README, or with `--states` every state of the public page, in each look, on a phone and a desk, light and dark.
 */
async function takePictures(): Promise<void> {
  const { values } = parseArgs({ options: { states: { type: 'boolean' }, to: { type: 'string' } } })
  const folder = createTemporaryFolder()
  const dns = await startDnsServer(join(folder, 'dns'))
  let running: OwnPlatform | undefined
  try {
    process.env['TEST_CHROMIUM'] = (await findChromium(printLine)) ?? ''
    running = await startPlatform({ dataDir: folder })
    Object.assign(process.env, createSharedEnvironment(running))
    const files = values.states
      ? await takeStates(values.to ?? join(root, '.data/pictures'))
      : await takeOwn(values.to ?? readmeFolder)
    for (const file of files) printLine(file)
    printLine(`${files.length} pictures`)
  } finally {
    await closeEverything()
    await running?.stop()
    dns.stop()
    await removeFolder(folder)
  }
}

async function takeOwn(folder: string): Promise<string[]> {
  const browser = await openBrowser()
  try {
    return await takeReadmePictures(browser, folder, looks['alba'] ?? {})
  } finally {
    await browser.close()
  }
}

async function takeStates(folder: string): Promise<string[]> {
  const browser = await openBrowser()
  try {
    const files: string[] = []
    for (const [name, look] of Object.entries(looks)) {
      for (const state of await createPassportStates(browser, look, `${name}-bags.example`))
        files.push(...(await photographEverywhere(browser, join(folder, name), state)))
    }
    return files
  } finally {
    await browser.close()
  }
}

try {
  await takePictures()
  exitProcess(0)
} catch (cause) {
  process.stderr.write(`${cause instanceof Error ? cause.stack : String(cause)}\n`)
  exitProcess(1)
}
