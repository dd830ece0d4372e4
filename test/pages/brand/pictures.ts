import type { Browser } from 'playwright-core'
import { getOperator } from '../../core/identity/people.ts'
import { insertFetchedPicture } from '../../support/rows/pictures/pictures.ts'
import { createSizes } from '../../support/values/picture-files.ts'

/** Where the brand of the pages has its pictures. Nobody asks there: the platform holds what it would have fetched. */
const host = 'https://pictures.example'

/** The pictures of a brand, by what they show. */
export const brandPictures = {
  bag: `${host}/bag.png`,
  lock: `${host}/lock.png`,
  logo: `${host}/logo.png`,
  shop: `${host}/shop.png`,
} as const

const frame = (width: number, height: number, content: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${content}</svg>`

/** What they look like: drawn, so that the repository needs no photograph. */
const drawings: Readonly<Record<keyof typeof brandPictures, string>> = {
  bag: frame(
    1200,
    1200,
    `<defs><linearGradient id="wall" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#efe9df"/><stop offset=".74" stop-color="#e4dccd"/><stop offset=".75" stop-color="#cfc4b0"/><stop offset="1" stop-color="#dcd2c0"/></linearGradient>
<linearGradient id="canvas" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="#cdb48c"/><stop offset="1" stop-color="#a98d62"/></linearGradient></defs>
<rect width="1200" height="1200" fill="url(#wall)"/><ellipse cx="600" cy="935" rx="430" ry="34" fill="#00000026"/>
<path d="M400 470C400 210 800 210 800 470" fill="none" stroke="#5b3d22" stroke-width="34"/>
<path d="M225 470Q600 410 975 470L1010 880Q1010 930 955 930L245 930Q190 930 190 880Z" fill="url(#canvas)"/>
<path d="M225 470Q600 410 975 470L980 545Q600 490 220 545Z" fill="#6b4a2b"/>
<path d="M225 505Q600 450 977 505" fill="none" stroke="#d8b56a" stroke-width="9" stroke-dasharray="16 7"/>
<rect x="372" y="560" width="46" height="370" fill="#6b4a2b"/><rect x="782" y="560" width="46" height="370" fill="#6b4a2b"/>
<rect x="520" y="650" width="160" height="96" rx="10" fill="#6b4a2b"/><circle cx="600" cy="698" r="17" fill="#d8b56a"/>
<path d="M215 880L985 880" stroke="#8d7248" stroke-width="4" stroke-dasharray="14 10"/>`,
  ),
  lock: frame(
    1200,
    900,
    `<rect width="1200" height="900" fill="#b89b70"/><rect x="0" y="0" width="1200" height="260" fill="#6b4a2b"/>
<path d="M0 236L1200 236" stroke="#d8b56a" stroke-width="8" stroke-dasharray="30 16"/>
<rect x="390" y="180" width="420" height="460" rx="46" fill="#7d5733"/>
<path d="M420 610L780 610" stroke="#d8b56a" stroke-width="6" stroke-dasharray="22 14"/>
<rect x="490" y="300" width="220" height="200" rx="26" fill="#d8b56a"/><circle cx="600" cy="378" r="30" fill="#4b3a2b"/><path d="M588 390L580 450L620 450L612 390Z" fill="#4b3a2b"/>`,
  ),
  logo: frame(
    360,
    120,
    `<rect width="360" height="120" rx="14" fill="#2b211a"/><circle cx="62" cy="60" r="34" fill="none" stroke="#d8b56a" stroke-width="7"/><path d="M48 76L62 38L76 76M53 64H71" fill="none" stroke="#d8b56a" stroke-width="6"/>
<g fill="#f3ead9"><rect x="122" y="46" width="196" height="10"/><rect x="122" y="66" width="132" height="8"/></g>`,
  ),
  shop: frame(
    1600,
    600,
    `<defs><linearGradient id="sky" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#f4d9b4"/><stop offset="1" stop-color="#e9b98a"/></linearGradient></defs>
<rect width="1600" height="600" fill="url(#sky)"/><path d="M0 420Q300 330 620 400T1200 380T1600 410V600H0Z" fill="#9c7a56"/><path d="M0 480Q420 420 800 470T1600 460V600H0Z" fill="#6b4a2b"/>
<rect x="1020" y="300" width="260" height="190" fill="#efe3cf"/><path d="M1000 306L1150 216L1300 306Z" fill="#7a4a24"/><rect x="1120" y="390" width="60" height="100" fill="#4b3a2b"/>`,
  ),
}

/** Stores the pictures of a brand as if they had been fetched: in the sizes that the platform makes of them. */
export async function holdBrandPictures(browser: Browser, organization: string): Promise<void> {
  const { db } = await getOperator()
  const page = await browser.newPage()
  for (const [name, address] of Object.entries(brandPictures) as [keyof typeof drawings, string][]) {
    await page.setContent(`<style>body { margin: 0 } svg { display: block }</style>${drawings[name]}`)
    const sizes = await createSizes(await page.locator('svg').screenshot({ omitBackground: true }))
    await insertFetchedPicture(db, organization, address, sizes)
  }
  await page.close()
}
