const setOf = (list: string) => new Set(list.split(',').map((word) => word.trim()))

/** Without accents, in small letters. */
export const plain = (text: string) => text.normalize('NFKD').replace(/\p{M}+/gu, '').toLowerCase().trim()

/** Codes that tables of languages name but ISO 3166-1 does not list. */
const noCountries = setOf(`
  EU, EZ, UN, QO, XA, XB, ZZ, XK, AC, CP, CQ, DG, EA, IC, TA, AN, BU, CS, DD, FX, NT, SU, TP, YD, YU, ZR, NH, RH, VD,
  DY, HV, UK`)
const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
const names = ['en', 'fr', 'es', 'de', 'it']
  .map((language) => new Intl.DisplayNames(language, { type: 'region', fallback: 'none' }))

/** Source: ISO 3166-1, alpha-2; Unicode CLDR, territories. */
export const countryCodes: ReadonlySet<string> = new Set(letters.flatMap((a) => letters.map((b) => a + b))
  .filter((code) => !noCountries.has(code) && names[0]?.of(code) !== undefined))

/** Names of countries in the five languages, and those that tables of languages do not use. */
export const countryNames: ReadonlySet<string> = new Set([
  ...names.flatMap((of) => [...countryCodes].map((code) => plain(of.of(code) ?? ''))),
  ...setOf(`
    great britain, england, scotland, usa, united states of america, holland, pays bas, olanda, holanda, czech
    republic, tschechische republik, tschechien, republica checa, repubblica ceca, republique tcheque, turkey,
    turkiye, turkei, south korea, corea del sud, corea del sur, coree du sud, sudkorea, korea, corea, china, prc,
    p.r.c., vietnam, viet nam, hong kong, taiwan, taiwan roc, grossbritannien, reino unido, regno unito, royaume-
    uni, vereinigtes konigreich, uk, uae, russia, russland, macedonia, ivory coast, gran bretagna, gran bretana,
    etats-unis, stati uniti, estados unidos, inghilterra, moldova, bosnia, cina`),
])

/** Source: ISO 3166-1, alpha-3. */
export const longCountryCodes: ReadonlySet<string> = new Set(`
  ABW AFG AGO AIA ALA ALB AND ARE ARG ARM ASM ATA ATF ATG AUS AUT AZE BDI BEL BEN BES BFA BGD BGR BHR BHS BIH BLM
  BLR BLZ BMU BOL BRA BRB BRN BTN BVT BWA CAF CAN CCK CHE CHL CHN CIV CMR COD COG COK COL COM CPV CRI CUB CUW CXR
  CYM CYP CZE DEU DJI DMA DNK DOM DZA ECU EGY ERI ESH ESP EST ETH FIN FJI FLK FRA FRO FSM GAB GBR GEO GGY GHA GIB
  GIN GLP GMB GNB GNQ GRC GRD GRL GTM GUF GUM GUY HKG HMD HND HRV HTI HUN IDN IMN IND IOT IRL IRN IRQ ISL ISR ITA
  JAM JEY JOR JPN KAZ KEN KGZ KHM KIR KNA KOR KWT LAO LBN LBR LBY LCA LIE LKA LSO LTU LUX LVA MAC MAF MAR MCO MDA
  MDG MDV MEX MHL MKD MLI MLT MMR MNE MNG MNP MOZ MRT MSR MTQ MUS MWI MYS MYT NAM NCL NER NFK NGA NIC NIU NLD NOR
  NPL NRU NZL OMN PAK PAN PCN PER PHL PLW PNG POL PRI PRK PRT PRY PSE PYF QAT REU ROU RUS RWA SAU SDN SEN SGP SGS
  SHN SJM SLB SLE SLV SMR SOM SPM SRB SSD STP SUR SVK SVN SWE SWZ SXM SYC SYR TCA TCD TGO THA TJK TKL TKM TLS TON
  TTO TUN TUR TUV TWN TZA UGA UKR UMI URY USA UZB VAT VCT VEN VGB VIR VNM VUT WLF WSM YEM ZAF ZMB ZWE
`.trim().split(/\s+/))

/** Source: ISO 4217. */
export const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

export const granularityWords = setOf(`
  model, modell, modele, modelo, modello, batch, lot, lote, lotto, charge, item, unit, unidad, unita, unite,
  stuck, serial, serie, piece, pezzo, article, artikel, articolo, articulo, einzelstuck, einheit, los, exemplar,
  instance, serialised, serialized, modèle, partida`)

export const genderWords = setOf(`
  women, woman, men, man, unisex, male, female, girls, boys, kids, children, ladies, womens, mens, women's, men's,
  baby, damen, herren, kinder, dame, herr, frauen, manner, madchen, jungen, femme, femmes, homme, hommes, mixte,
  enfant, enfants, fille, garcon, bebe, mujer, mujeres, hombre, hombres, nino, nina, ninos, ninas, unisexe, donna,
  uomo, donne, uomini, bambino, bambina, bambini, neonato, adult, adults, erwachsene, adulte, adulto, infantil,
  junior, girl, boy, child`)

export const colorWords = setOf(`
  black, white, red, blue, green, yellow, orange, purple, pink, brown, grey, gray, beige, navy, gold, silver,
  turquoise, cream, ivory, khaki, burgundy, slate, anthracite, schwarz, weiss, rot, blau, grun, gelb, lila, rosa,
  braun, grau, dunkelblau, hellblau, dunkelgrau, anthrazit, turkis, creme, silber, natur, noir, noire, blanc,
  blanche, rouge, bleu, bleue, vert, verte, jaune, violet, rose, marron, gris, grise, marine, dore, argent, ecru,
  bordeaux, negro, negra, blanco, blanca, rojo, roja, azul, verde, amarillo, amarilla, morado, marino, plata,
  dorado, crudo, nero, nera, bianco, bianca, rosso, rossa, blu, giallo, gialla, arancione, viola, marrone, grigio,
  grigia, oro, argento, petrol, olive, olivgrun, moss, sand, taupe, camel, mint, coral, fuchsia, multicolor,
  mehrfarbig`)

export const booleanWords = setOf(`
  true, false, yes, no, ja, nein, oui, non, si, y, n, j, o, wahr, falsch, vero, falso, verdadero, vrai, faux, x`)

export const massUnits = setOf(`
  kg, g, gr, mg, t, lb, lbs, oz, kgm, grm, kilogram, kilogramm, kilogramme, gram, gramm, gramme, gramos, grammi,
  kilo, kilos, kilogramo, kilogrammo, lbr, onz, pound, pounds, ounce`)

export const lengthUnits = setOf('mm, cm, m, mmt, cmt, mtr, in, inch, ft, centimeter, millimeter, meter')

/** Sizes of clothes and shoes, as XL, 38, 42.5, 38-40 or one size. */
export const sizeWord = new RegExp(`^(?:${[
  '\\d{0,2}x{0,4}[sl]', 'm', '[x2-6]{1,4}-?l', 'xs', 'one ?size', 'os', 't?\\.?u\\.?', 'taglia unica', 'talla unica',
  'einheitsgr\\S*', 'taille unique', '\\d{1,3}(?:[.,]5)?', '\\d{2,3}[-/]\\d{2,3}',
].join('|')})$`, 'i')

const seasonNames = `ss|fw|aw|pe|ai|pv|oi|ph|fs|hw|sp|fa|sum|win|ah|hiver|ete|spring|summer|fall|autumn|winter|fruhjahr|
  herbst|sommer|primavera|otono|verano|invierno|printemps|automne|automne-hiver|printemps-ete|estate|autunno|inverno|
  herbst/winter|spring/summer`.replace(/\s+/g, '')

/** Seasons of fashion, as SS26, Herbst 2026 or 26FW. */
const seasonYear = '(?:20)?\\d{2}'
export const season = new RegExp(
  `^(?:${seasonNames})[\\s/.'-]*${seasonYear}(?:[/-]\\d{2})?$|^${seasonYear}[\\s/.-]?(?:${seasonNames})$`)
