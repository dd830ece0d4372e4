import type { Concept } from './synonyms.ts'

/**
 * A heading with these meanings, each of a word of its own, speaks for the destination. `weight`: how much, up to 1.
 * `sure`: with values of the right look it is beyond doubt.
 */
export interface Rule { path: string; all: readonly Concept[]; weight: number; sure: boolean }

/** Each rule: meanings, then how much they say in hundredths, with an exclamation mark where they are sure. */
const written: Record<string, string> = {
  reference: `passport ref 96!, passport number 92, passport id 85, external ref 75, external number 46, external id
    46, passport 50, ref 52`,
  allowedClaimEmail: 'holder email 92, email 55',
  allowedClaimPhoneNumber: 'holder phone 92, phone 52',
  certificateUri: `certificate url 82, passport certificate url 90, certificate 55, passport url 50, certificate
    document 60`,
  'product.idGranularity': `granularity level 96!, passport level 94!, granularity 88!, passport category 80, level
    66, serial level 85, article level 70, passport kind 75, granularity category 88, unit level 70, category level
    60`,
  'product.name': `article name 94!, model name 90, name 84, article description 66, description 60, model
    description 78, short description 58, article short description 60, name short 86, article name short 90, style
    name 86, name description 80, style description 75, article 62, model 56, sku name 76, style 48, material name 55,
    material description 56, sku description 64, number name 55, brand model 60, series name 50, article long name
    86`,
  'product.description': `short description 62, article short description 64, description long 96, article
    description 86, description 86, article description long 96, name long 74, sku description 70, article long 60,
    model description 70, description name 60, material long 50`,
  'product.id': `qr 86, qr number 86, qr id 86, qr article 86, qr url 94!, passport url 85, passport qr 90, article
    url 60, url 50, id url 70, article id url 75`,
  'product.modelNumber': `manufacturerNumber 96!, manufacturerNumber number 96!, manufacturer manufacturerNumber
    96!, model number 95!, model ref 93, model id 78, article number 86, article ref 86, manufacturer article number
    95!, manufacturer article ref 94, manufacturer model number 95!, style number 88, style ref 86, style 66, model
    74, manufacturer number 78, manufacturer ref 76, ref 68, number 52, article 60, material number 78, article model
    72, article id 44, sku ref 66, article model number 92, brand ref 60, brand number 52, sku 40, article style
    number 88, category number 40, manufacturer sku 68`,
  'product.batchNumber': `batch number 96!, batch 92!, production batch number 96!, production batch 92!, batch id
    88, batch ref 92!, production number 44`,
  'product.itemNumber': `serial number 96!, serial 92!, series number 84, article serial number 94!, serial id 84,
    serial ref 90, unit number 55, unit id 50, article serial 90, production serial number 94`,
  'product.productionDate': `production date 96!, made date 94!, made 86, production 80, manufacturer date 88,
    article production date 96, production day 90, batch date 70, production month 50, production year 60`,
  'product.expiryDate': 'expiry date 96!, expiry 92!, batch expiry 90, article expiry 90, expiry month 55',
  'product.countryOfProduction': `country origin 96!, country production 96!, country made 96!, origin 88!, made
    90!, country 66, production country origin 95!, article origin 86, country manufacturer 72, made origin 88,
    country facility 86, production origin 92, production 60, country origin number 96!, origin number 88, origin name
    86, country production number 92, country number 64, country name 64, manufacturer made 70, country origin name
    95!, country production name 92`,
  'product.producedAtFacility.id': `facility gln 94!, facility id 84, facility number 80, facility url 80,
    production facility id 90, production facility number 86, production gln 85, gln 60, facility ref 78, facility 52,
    production facility url 90, manufacturer gln 66, production facility gln 94`,
  'product.producedAtFacility.name': `production facility 92, facility name 88, facility 76, production facility
    name 94, manufacturer facility 88, made facility 86, facility production 92, facility origin 66, manufacturer 58,
    production 50, facility description 76`,
  'product.productImage.linkURL': `image url 94!, image 88!, main image url 94, main image 90, article image 90!,
    article image url 94!, image main 90, sku image url 88, sku image 86, url 40, main url 40, image document 60,
    image name 50`,
  'product.productImage.linkName': `image alt 92, image name 88, image description 80, alt 72, image alt name 92,
    alt name 70, image alt description 90`,
  'product.relatedDocument[0].linkURL': `document url 90, document 80, article url 76, url 66, instruction url 80,
    care url 66, repair url 68, instruction 52, care instruction 50, repair instruction url 70, instruction document
    84, description url 60, document instruction url 88, care instruction url 66, article document 86, certificate url
    62, category document 60, repair document 62, care document 62, article document url 90, brand url 40, repair
    instruction 50, collection url 40`,
  'product.relatedDocument[0].linkName': `document name 88, document 58, document description 70, url name 72,
    document category 48`,
  'product.productCategory[0].code': `category number 88, classification number 90, classification 84, category id
    60, category 70, article category number 88, category ref 76, number category 88, category classification number
    90, classification category 80, classification id 70`,
  'product.productCategory[0].name': `category name 86, category 78, article category 80, category description 84,
    kind 50, article kind 76, classification name 82, classification description 80, classification category 60,
    category number name 80, category number description 80`,
  'product.dimensions.weight.value': `weight 90, article weight 90, weight value 90, sku weight 88, dimension weight
    88, weight number 60`,
  'product.dimensions.weight.unit': 'weight unit 94!, weight 60, weight article unit 92, unit 60',
  'product.dimensions.length.value': 'length 88, article length 88, dimension length 90, length value 88',
  'product.dimensions.width.value': 'width 88, article width 88, dimension width 90, width value 88',
  'product.dimensions.height.value': 'height 88, article height 88, dimension height 90, height value 88',
  'product.materialProvenance[0].name': `main material 88, main material name 90, material name 70, material 60,
    material main 88, material origin 52, main material description 84`,
  'product.materialProvenance[0].massFraction': `main material share 92, material share 86, main share 72, material
    56, main material 62, material main share 92, weight share 55, weight material share 86, share 50`,
  'product.materialProvenance[0].recycledMassFraction': `recycled share 92, recycled material share 94, recycled
    material 82, recycled 80, material recycled share 94, main material recycled share 92, main recycled share 90,
    recycled weight share 90, main recycled 78`,
  'product.gtin': `manufacturer gtin 86, gtin size 88, gtin color 86, gtin 94!, gtin number 96!, article gtin 94!,
    article gtin number 95!, sku gtin 92!, gtin gtin 95!, unit gtin 90!, gtin id 86`,
  'data.sku': `sku 94!, sku number 96!, article sku 92!, article number 78, article ref 76, sku ref 84, sku id 70,
    ref 56, article sku number 94!, supplier article number 48, article id 42, stock number 76, material number 68,
    number 44, article 52, color article number 70, quantity number 60, size article number 70, external number 50,
    article ref number 78`,
  'data.brand': `brand 94!, brand name 95!, article brand 92!, vendor 60, manufacturer 46, brand description 80,
    brand manufacturer 84`,
  'data.manufacturer': `manufacturer 92!, manufacturer name 94!, manufacturer made 80, article manufacturer 88,
    production manufacturer 88, brand manufacturer 70, manufacturer description 80`,
  'data.supplier': `supplier 92!, supplier name 94!, main supplier 88, vendor 66, supplier description 80, vendor
    name 66, article supplier 88`,
  'data.color': `color 94!, finish 56, color finish 80, color name 95!, article color 92!, sku color 90!, color
    description 86, main color 88, color number name 84, color number description 80, option color 84, style color 82,
    model color 88, material color 70, option value 62, option 56, value 40, color color 90`,
  'data.size': `size 92!, article size 90!, size name 90, sku size 90!, size value 84, option size 84, size
    description 80, model size 84, unit size 70, size number 74, gender size 74, size weight 60, quantity size 52,
    size volume 80, volume 56, option value 62, option 56, value 40, size unit 55`,
  'data.material': `material 90, material description 86, main material 80, material name 84, material share 58,
    article material 88, material main 80, color material 60, material size 50, material category 66, material
    production 60, material origin 50, quality material 70, material kind 70, model material 80`,
  'data.careInstructions': `care 88, care instruction 96!, care description 84, article care 84, care name 62, care
    number 50, material care 70, long care 80`,
  'data.repairInstructions': `repair instruction 96!, repair 86, repair description 84, article repair 80,
    instruction repair 96`,
  'data.category': `category 86, category name 82, article category 88, kind 56, article kind 80, category
    description 78, main category 84, category category 84, model category 76, size category 40, category kind 74,
    vendor category 60, sku category 66, gender category 50`,
  'data.collection': `collection 92!, collection name 92!, series 68, series name 70, collection number 66, article
    collection 86, brand collection 80, collection year 84, collection description 78, model series 66`,
  'data.gender': `gender 92!, article gender 90, category gender 70, gender category 70, category 20, size gender
    70, gender name 80`,
  'data.price': `price sale 88, price gross 86, price sale gross 86, sale 50, price 88, article price 88, unit price
    88, price value 84, value 34, sku price 86, price public 88`,
  'data.currency': `currency 94!, currency number 94!, price currency 94!, currency id 80, price unit 66, unit 40,
    price currency number 94`,
  'data.quantity': `quantity 84, quantity place 82, place quantity unit 60, quantity unit 60, article quantity 82,
    sku quantity 84, quantity value 76, batch quantity 74, unit quantity 76, quantity quantity 84`,
  'data.customsTariffNumber': `tariff number 96!, tariff 92!, tariff category 76, article tariff number 94!, tariff
    id 84, tariff classification 80, country tariff number 84, classification number 50`,
  'data.warrantyMonths': `manufacturer warranty 74, manufacturer warranty month 94, warranty month 96!, warranty 76,
    warranty duration 80, warranty duration month 96!, warranty value 72, article warranty month 94`,
  'data.carbonFootprint': `carbon 90, carbon value 90, article carbon 88, carbon production 80, carbon weight 70,
    carbon carbon 92, carbon unit 76, carbon batch 70`,
  'data.certifications': `certificate 86, certificate name 88, article certificate 86, certificate description 80,
    material certificate 84, certificate category 70, certificate number 48, certificate material 80, certificate care
    50`,
}

const concepts = (words: readonly string[]) => words as readonly Concept[]

export const rules: readonly Rule[] = Object.entries(written).flatMap(([path, list]) =>
  list.split(',').map((rule) => rule.trim().split(/\s+/)).flatMap((words): Rule[] => {
    const weight = words.pop() ?? '0'
    const all = concepts(words)
    const one = { all, weight: Number.parseInt(weight, 10) / 100, sure: weight.endsWith('!') }
    // Code or name: the values tell which of the two it is.
    if (path !== 'product.countryOfProduction') return [{ path, ...one }]
    return ['countryCode', 'countryName'].map((member) => ({ path: `${path}.${member}`, ...one }))
  }))

/** Meanings that add nothing to what others say. */
export const neutral: ReadonlySet<Concept> = new Set<Concept>(['net', 'article', 'value', 'option'])

/** Meanings that change a heading into something else when no rule asks for them. */
export const telling: ReadonlySet<Concept> = new Set<Concept>([
  'number', 'id', 'ref', 'unit', 'date', 'url', 'email', 'phone', 'holder', 'year', 'duration', 'supplier',
  'manufacturer', 'brand', 'gln',
])

/** What one letter stands for before a unit of length, in the order of how often. */
export const dimensionLetters: Readonly<Record<string, readonly string[]>> = {
  l: ['length', 'width'], b: ['width'], w: ['width'], h: ['height'], t: ['length'], d: ['length'], p: ['length'],
  a: ['width', 'height'],
}
