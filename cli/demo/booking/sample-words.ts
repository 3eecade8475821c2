/** The companies of the default sample. Public prices are multiples of `step`; `rate` turns the prices of tours into the currency. */
export const sampleCompanies = [
  {
    ...{ code: "atlas-journeys", name: "Atlas Journeys", prefix: "ATLAS", words: "latin" },
    ...{ zone: "Europe/Istanbul", currency: "EUR", step: 5, rate: 1 },
  },
  {
    ...{ code: "kinneret-tours", name: "رحلات كنّارة", prefix: "KIN", words: "arabic" },
    ...{ zone: "Asia/Jerusalem", currency: "ILS", step: 10, rate: 4 },
  },
  {
    ...{ code: "sakura-trails", name: "さくらトレイルズ株式会社", prefix: "SKR", words: "japanese" },
    ...{ zone: "Asia/Tokyo", currency: "JPY", step: 100, rate: 160 },
  },
  {
    ...{ code: "thalassa-odyssey", name: "Θάλασσα Οδύσσεια Α.Ε.", prefix: "THAL", words: "latin" },
    ...{ zone: "Europe/Athens", currency: "EUR", step: 0.9, rate: 1.1 },
  },
  {
    ...{ code: "zaytuna-travel", name: "زيتونة للسفر والسياحة", prefix: "ZTN", words: "arabic" },
    ...{ zone: "Asia/Amman", currency: "JOD", step: 0.5, rate: 0.8 },
  },
];

/** Further companies are named after a place and a trade. */
export const samplePlaces =
  "Meridian Cedar Harbour Lantern Juniper Saffron Compass Heron Monsoon Polaris Tamarisk".split(" ");
export const sampleTrades = ["Tours", "Travel", "Voyages", "Expeditions", "Holidays"];

/** Shared by all companies. One airline has no logo, and the logo of one may not be published (it is not https). */
export const sampleAirlines = [
  { code: "AE2", name: "Aegina Air", logo: "https://cdn.example.com/airlines/ae2.svg" },
  { code: "B7", name: "Bosphorus Wings", logo: "https://cdn.example.com/airlines/b7.svg" },
  { code: "H9", name: "Hakuba Airways", logo: "https://cdn.example.com/airlines/h9.svg" },
  { code: "KQ1", name: "Kasbah Air", logo: null },
  { code: "YM", name: "Yam Air", logo: "http://cdn.example.com/airlines/ym.svg" },
];

/**
 * The texts, by their script. `rooms` are for one to four people; `duties` are those of the lead guide, the teacher and the
 * driver; `editions` end the names of tours, the next one each time the list of tours starts again. The hotels of a tour are
 * counted from 1.
 */
export const sampleWords = [
  {
    // Latin letters with accents, and the characters that HTML escapes.
    script: "latin",
    departures: ["İstanbul Airport, entrance 7", "Sabiha Gökçen Airport"],
    hotels: [
      ["Sarnıç Palas Hotel", "İstanbul", "Türkiye", 5],
      ["Peri Bacası Cave Suites", "Göreme", "Türkiye", 4],
      ["Riad El Fennec d'Or", "Marrakech", "Maroc", 5],
      ["Bivouac Étoilé", "Merzouga", null, null],
    ],
    guides: [
      ["Şule Öztürk", "female"],
      ["İlker Çağlayan", "male"],
      ["Noor van den Berg", null],
      ["Ümit Şahin", "undisclosed"],
    ],
    passengers: ["Ayşe Yılmaz", "Oğuz Demirtaş", "Élodie Lefebvre", "François Dubois", "Gülşen Koç"],
    rooms: ["Single room", "Double room", "Triple room", "Family room"],
    duties: ["Tour leader", "Art historian", "Driver"],
    editions: ["", ", small group", ", with family", ", photo edition"],
    arrival: "Arrival in {city}",
    farewell: "Farewell breakfast and flight home",
    days: [
      "A slow morning, then a walk with our local guide.",
      "We leave before the crowds arrive; lunch is with a family we have known for years.",
      "An easy day: two visits, one long lunch, and time to yourself.",
    ],
    accommodation: "Small, owner-run houses in the old town, breakfast included.",
    included: ["Flights and taxes", "All breakfasts and three dinners", "Entrance fees", "Airport transfers"],
    excluded: ["Travel insurance", "Drinks", "Tips", "Visa fees"],
    faq: [
      ["How large is the group?", "Between 8 and 24 travellers."],
      ["Can I travel alone?", "Yes. We like to find you a room-mate if you wish."],
      ["Is there a vegetarian menu?", "Yes: tell us when you book."],
      ["What happens if it rains?", "We swap the days; every visit has a roof nearby."],
    ],
    tours: [
      {
        name: "Cappadocia at First Light",
        type: "culture",
        subtype: "landscape",
        days: 5,
        price: 890,
        hotels: [1, 2],
        visits: ["Göreme Open-Air Museum", "Ihlara Valley", "Kaymaklı Underground City", "Uçhisar Castle"],
        description: "Fairy chimneys, cave churches and a balloon before breakfast.",
        tags: ["balloons", "unesco"],
      },
      {
        name: "Imperial Cities & the Sahara for <Beginners>",
        type: "culture",
        subtype: "desert",
        days: 9,
        price: 1640,
        hotels: [3, 4],
        visits: ["Chefchaouen", "Fès el-Bali", "Aït-Ben-Haddou", "Erg Chebbi", "Jemaa el-Fna"],
        description: "From the blue town to the red dunes: “slow travel” with nights under the stars.",
        tags: ["desert", "slow travel", "unesco"],
      },
    ],
  },
  {
    // Written from right to left.
    script: "arabic",
    departures: ["مطار الملكة علياء الدولي", "عمّان – دوّار الداخلية"],
    hotels: [
      ["فندق أنوار الحرم", "مكة المكرمة", "السعودية", 5],
      ["دار الروضة", "المدينة المنورة", "السعودية", 4],
      ["بيت الزيتون", "عجلون", null, null],
    ],
    guides: [
      ["عبد الرحمن الخطيب", "male"],
      ["لُبنى الزعبي", "female"],
      ["Omar Al-Masri عمر المصري", "male"],
    ],
    passengers: ["محمد العمري", "فاطمة حدّاد", "خالد شاهين", "آمنة عبيدات"],
    rooms: ["غرفة مفردة", "غرفة مزدوجة", "غرفة ثلاثية", "غرفة رباعية"],
    duties: ["قائد المجموعة", "مرشد ديني", "سائق"],
    editions: ["", " – مجموعة صغيرة", " – للعائلات"],
    arrival: "الوصول إلى {city}",
    farewell: "التوديع والعودة إلى الوطن",
    days: ["زيارة صباحية مع المرشد ثم وقت حرّ بعد الظهر.", "ننطلق بعد صلاة الفجر، والغداء في مطعم محلّي."],
    accommodation: "فنادق مختارة على بُعد خطوات، الإفطار مشمول.",
    included: ["تذاكر الطيران", "الإقامة مع الإفطار", "رسوم التأشيرة"],
    excluded: ["المصاريف الشخصية", "وجبة الغداء"],
    faq: [
      ["ما هي الوثائق المطلوبة؟", "جواز سفر صالح لستة أشهر على الأقل وصورتان شخصيتان."],
      ["هل يُسمح بسفر الأطفال؟", "نعم، برفقة أحد الوالدين؛ والرضّع مجّانًا."],
      ["كم تبعد الفنادق؟", "بين 150 و400 متر سيرًا على الأقدام."],
    ],
    tours: [
      {
        name: "عُمرة العشر الأواخر",
        type: "عمرة",
        subtype: "مميّز",
        days: 12,
        price: 1610,
        hotels: [1, 2],
        visits: ["المسجد الحرام", "متحف السلام عليك", "بئر زمزم", "مسجد القبلتين"],
        description: "اثنا عشر يومًا في رحاب الحرمين الشريفين.",
        tags: ["عمرة", "رمضان"],
      },
      {
        name: "ربيع عجلون",
        type: "طبيعة",
        subtype: null,
        days: 2,
        price: 82,
        hotels: [3],
        visits: ["قلعة عجلون", "غابات راسون", "دير مار الياس", "جرش"],
        description: "مسار قصير بين الزيتون والسنديان.",
        tags: ["طبيعة"],
      },
    ],
  },
  {
    // Characters beyond 16 bits among them.
    script: "japanese",
    departures: ["東京駅 銀の鈴", "羽田空港 第2ターミナル"],
    hotels: [
      ["湯の宿 さくらや", "箱根", "日本", 4],
      ["宿坊 遍照庵", "高野山", null, null],
      ["ホテル𠮷野", "奈良", "日本", 3],
    ],
    guides: [
      ["佐藤 美咲", "female"],
      ["髙橋 健太", "male"],
      ["O’Brien・真理", "female"],
    ],
    passengers: ["鈴木 陽菜", "田中 蓮", "𠮷田 ゆかり", "斎藤 一郎"],
    rooms: ["シングル", "ツイン", "トリプル", "和室（4名）"],
    duties: ["添乗員", "講師", "運転手"],
    editions: ["", "（少人数）", "（ファミリー）"],
    arrival: "{city}に到着",
    farewell: "朝食後、解散",
    days: ["午前は徒歩で散策、午後は自由行動です。", "朝早く出発し、人の少ない時間に見学します。"],
    accommodation: "和室または洋室、朝夕食付き。大浴場あり。",
    included: ["往復交通費", "朝食・夕食", "入場料", "現地ガイド"],
    excluded: ["昼食", "旅行保険", "個人的な費用"],
    faq: [
      ["最少催行人数は？", "8名様です。"],
      ["一人でも参加できますか？", "はい。お一人様のお部屋もご用意できます。"],
      ["歩く距離はどのくらいですか？", "1日あたり約6〜10kmです。"],
    ],
    tours: [
      {
        name: "熊野古道を歩く",
        type: "ハイキング",
        subtype: "巡礼",
        days: 5,
        price: 860,
        hotels: [2],
        visits: ["滝尻王子", "発心門王子", "熊野本宮大社", "那智の滝"],
        description: "千年の道をゆっくり五日間。荷物は先に宿へ運びます。",
        tags: ["世界遺産", "ハイキング"],
      },
      {
        name: "奈良と箱根 湯めぐり",
        type: "温泉",
        subtype: null,
        days: 4,
        price: 490,
        hotels: [3, 1],
        visits: ["東大寺", "大涌谷", "芦ノ湖", "彫刻の森"],
        description: "五つの湯と富士の眺め♨️",
        tags: ["温泉", "週末"],
      },
    ],
  },
];
