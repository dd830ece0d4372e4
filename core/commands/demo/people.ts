/** The programme of the demo application, where it has none: a point for each euro, and visits of a year count. */
export const programme = { currency: 'EUR', currencyToPointRatio: 1, visitsWindowDays: 365 } as const

/** What a new account starts with. */
export const demoWelcomeBonus = 50

/** The tiers of the demo application, where it has none. */
export const demoTiers = [
  { name: 'Bronze', requiredVisits: 0, currencyToPointRatio: 1 },
  { name: 'Silver', requiredVisits: 5, currencyToPointRatio: 1.5 },
  { name: 'Gold', requiredVisits: 12, currencyToPointRatio: 2 },
] as const

/** A customer of the demo application. The address is at example.com, the number in a range without subscribers. */
export interface DemoPerson {
  name: string
  email: string
  birthDate: string
  locale: string
  phoneNumber?: string
}

type Line = readonly [name: string, birthDate: string, locale: string, phoneNumber?: string]

/**
 * Sources of the numbers: Ofcom, "Numbers for drama use"; Arcep, numbers for audiovisual works; Bundesnetzagentur,
 * "Rufnummern für Medienproduktionen"; NANPA, 555-0100 to 555-0199.
 */
const lines: readonly Line[] = [
  ['Camille Laurent', '1988-04-17', 'fr-FR', '+33199001234'],
  ['Giulia Moretti', '1992-11-03', 'it-IT'],
  ['Lukas Brandt', '1979-07-29', 'de-DE', '+493023125014'],
  ['Olivia Bennett', '1995-02-08', 'en-GB', '+442079460123'],
  ['Diego Fernández', '1984-09-21', 'es-ES'],
  ['Beatriz Almeida', '1990-12-12', 'pt-PT'],
  ['Sanne de Vries', '1986-05-30', 'nl-NL'],
  ['Astrid Lindqvist', '1997-08-14', 'sv-SE'],
  ['Mateusz Kowalski', '1982-03-02', 'pl-PL'],
  ['Zeynep Yıldız', '1993-06-19', 'tr-TR'],
  ['Noah Williams', '1976-10-25', 'en-US', '+12125550147'],
  ['Amélie Gagnon', '1989-01-31', 'fr-CA'],
  ['Yuki Tanaka', '1994-07-07', 'ja-JP'],
  ['Ji-woo Kim', '1998-11-22', 'ko-KR'],
  ['Priya Nair', '1987-02-26', 'en-IN'],
  ['Amara Okafor', '1991-09-09', 'en-NG'],
  ['Youssef Benali', '1985-12-01', 'fr-MA'],
  ['Lerato Dlamini', '1996-04-04', 'en-ZA'],
  ['Valentina Rojas', '1983-08-18', 'es-CL'],
  ['Eleni Papadopoulou', '1978-05-11', 'el-GR'],
]

/** Creates the address of a person: the name in plain letters. */
const createEmail = (name: string): string =>
  `${name
    .toLowerCase()
    .replaceAll('ı', 'i')
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z]+/g, '.')}@example.com`

/** The twenty customers of the demo application, the oldest customer first. */
export const demoPeople: readonly DemoPerson[] = lines.map(([name, birthDate, locale, phoneNumber]) => ({
  name,
  email: createEmail(name),
  birthDate,
  locale,
  ...(phoneNumber !== undefined && { phoneNumber }),
}))
