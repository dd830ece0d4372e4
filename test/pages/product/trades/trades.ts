/** What brands of a trade write: the words, measures and further members of their products. */
export interface Trade {
  name: string
  products: readonly string[]
  materials: readonly string[]
  documents: readonly string[]
  claims: readonly string[]
  /** Units of Recommendation 20 that its measures have. */
  units: readonly string[]
  /** Members that UNTP does not know, as programs name them. */
  ownMembers: readonly string[]
}

export const trades: readonly Trade[] = [
  {
    name: 'fashion',
    products: ['Field jacket', 'Veste en laine bouillie', 'Sciarpa di seta', 'ウールのコート', 'Вязаный свитер'],
    materials: ['Organic cotton', 'Recycled polyamide', 'Laine mérinos', 'Elastane', 'Tencel™ lyocell', 'Horn'],
    documents: [
      'Care guide',
      'Waschanleitung',
      'Repair shops',
      'How to recycle it',
      'Certificate of the mill',
      'Lookbook',
    ],
    claims: ['Carbon footprint', 'Water use', 'Worn 500 times', 'No harmful substances'],
    units: ['KGM', 'GRM', 'CMT', 'GM', 'LTR', 'P1'],
    ownMembers: ['sizeChart', 'dye_house', 'CO2Footprint', 'fitting', 'sewnBy'],
  },
  {
    name: 'furniture',
    products: ['Lounge chair', 'Eichentisch mit Auszugsplatte', 'Étagère modulable', 'Sofá de tres plazas'],
    materials: ['Oak', 'Plywood of birch', 'Steel, powder coated', 'Polyurethane foam', 'Leather', 'Beeswax'],
    documents: ['Assembly', 'Spare parts', 'Pflege von Holz', 'FSC certificate', 'Entsorgung', 'Fire test'],
    claims: ['Formaldehyde emission', 'Load of the seat', 'Footprint from cradle to gate'],
    units: ['MMT', 'CMT', 'MTR', 'KGM', 'MTQ', 'NEW', 'MTK'],
    ownMembers: ['seatHeight', 'max_load', 'assemblyTime', 'flatPacked', 'woodSpecies'],
  },
  {
    name: 'battery',
    products: ['Cell pack 48V', 'Traktionsbatterie', 'Batterie de vélo', '电池组', 'بطارية قابلة للشحن'],
    materials: ['Lithium iron phosphate', 'Graphite', 'Aluminium foil', 'Copper foil', 'Electrolyte (LiPF₆)', 'Cobalt'],
    documents: ['Safety data sheet', 'EU declaration of conformity', 'End of life', 'Quick start', 'Dismantling'],
    claims: ['Rated capacity', 'Round trip efficiency', 'Cycles until 80 %', 'Share of recycled cobalt'],
    units: ['KWH', 'WHR', 'AMH', 'VLT', 'CEL', 'OHM', 'KGM', 'P1', 'ANN'],
    ownMembers: ['ratedCapacity', 'state_of_health', 'cellChemistry', 'cRate', 'ipRating'],
  },
  {
    name: 'food',
    products: ['Olive oil', 'Comté affiné 24 mois', 'Aceto balsamico', 'Φέτα', 'चाय'],
    materials: ['Olives', 'Raw milk', 'Rennet', 'Salt', 'Grape must', 'Glass of the bottle'],
    documents: ['Storage and handling', 'Organic certificate', 'Recipe', 'Recycling of the bottle', 'Analysis'],
    claims: ['Energy', 'Acidity', 'Fat', 'Organic farming'],
    units: ['KJO', 'MLT', 'LTR', 'GRM', 'MGM', 'P1', 'CEL', 'DAY'],
    ownMembers: ['allergens', 'best_before', 'harvestYear', 'nutriScore', 'millingDate'],
  },
  {
    name: 'electronics',
    products: ['Headphones', 'Schraubendreher mit Akku', 'Téléphone reconditionné', 'ロボット掃除機', '🔋 Lampe'],
    materials: ['Polycarbonate', 'Tin', 'Gold', 'Neodymium magnet', 'Printed circuit board', 'Silicone'],
    documents: ['User manual', 'Ersatzteile', 'Reparaturanleitung', 'WEEE: where to return it', 'Radio equipment'],
    claims: ['Repairability', 'Noise', 'Standby power', 'Years of updates'],
    units: ['WTT', 'KWT', 'HTZ', '2N', 'E09', 'MIN', 'GRM', 'AMP', 'BAR'],
    ownMembers: ['firmwareVersion', 'energy_class', 'radioBands', 'hasBattery', 'updatesUntil'],
  },
]

/** Units as pages write them, in whatever language: the signs without spaces and in small letters. */
export const unitSigns: Readonly<Record<string, readonly string[]>> = {
  KGM: ['kg'],
  GRM: ['g'],
  MGM: ['mg'],
  CMT: ['cm'],
  MMT: ['mm'],
  MTR: ['m'],
  MTK: ['m²'],
  MTQ: ['m³'],
  GM: ['g/m²'],
  LTR: ['l'],
  MLT: ['ml'],
  P1: ['%'],
  NEW: ['n'],
  KWH: ['kwh'],
  WHR: ['wh'],
  KJO: ['kj'],
  AMH: ['ah'],
  E09: ['mah'],
  AMP: ['a'],
  VLT: ['v'],
  WTT: ['w'],
  KWT: ['kw'],
  OHM: ['ω'],
  HTZ: ['hz'],
  BAR: ['bar'],
  '2N': ['db'],
  CEL: ['°c'],
  MIN: ['min'],
  DAY: ['day', 'd', 'j', 'tag', 'tg', 'g', 'giorn', 'día', 'dia'],
  ANN: ['yr', 'year', 'an', 'j', 'anno', 'anni', 'año', 'a'],
}
