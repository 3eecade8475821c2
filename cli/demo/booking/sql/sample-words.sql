-- The words and figures that the sample data is made of, as temporary views.

-- The default companies. Public prices are multiples of `step`; `rate` turns the prices of tours
-- into the currency.
CREATE TEMPORARY VIEW sample_known (position, code, name, prefix, script, zone, currency, step, rate) AS VALUES
  (0, 'atlas-journeys', 'Atlas Journeys', 'ATLAS', 'latin', 'Europe/Istanbul', 'EUR', 5, 1),
  (1, 'kinneret-tours', 'رحلات كنّارة', 'KIN', 'arabic', 'Asia/Jerusalem', 'ILS', 10, 4),
  (2, 'sakura-trails', 'さくらトレイルズ株式会社', 'SKR', 'japanese', 'Asia/Tokyo', 'JPY', 100, 160),
  (3, 'thalassa-odyssey', 'Θάλασσα Οδύσσεια Α.Ε.', 'THAL', 'latin', 'Europe/Athens', 'EUR', 0.9, 1.1),
  (4, 'zaytuna-travel', 'زيتونة للسفر والسياحة', 'ZTN', 'arabic', 'Asia/Amman', 'JOD', 0.5, 0.8);

-- Further companies are named after a place and a trade.
CREATE TEMPORARY VIEW sample_further AS SELECT
  '{Meridian,Cedar,Harbour,Lantern,Juniper,Saffron,Compass,Heron,Monsoon,Polaris,Tamarisk}'::text[] AS places,
  '{Tours,Travel,Voyages,Expeditions,Holidays}'::text[] AS trades;

-- Shared by all companies. One airline has no logo, and the logo of one may not be published (it is
-- not https).
CREATE TEMPORARY VIEW sample_airline (code, name, logo) AS VALUES
  ('AE2', 'Aegina Air', 'https://cdn.example.com/airlines/ae2.svg'),
  ('B7', 'Bosphorus Wings', 'https://cdn.example.com/airlines/b7.svg'),
  ('H9', 'Hakuba Airways', 'https://cdn.example.com/airlines/h9.svg'),
  ('KQ1', 'Kasbah Air', NULL),
  ('YM', 'Yam Air', 'http://cdn.example.com/airlines/ym.svg');

-- The tours that programs are made of, by the script of their texts. Hotels are counted from 1.
CREATE TEMPORARY VIEW sample_tour AS
SELECT script, position, name, type, subtype, days, price, hotels::integer[], visits::text[], description, tags::text[],
       (count(*) OVER (PARTITION BY script))::integer AS count
  FROM (VALUES
    ('latin', 0, 'Cappadocia at First Light', 'culture', 'landscape', 5, 890,
     '{1,2}', '{Göreme Open-Air Museum,Ihlara Valley,Kaymaklı Underground City,Uçhisar Castle}',
     'Fairy chimneys, cave churches and a balloon before breakfast.', '{balloons,unesco}'),
    ('latin', 1, 'Imperial Cities & the Sahara for <Beginners>', 'culture', 'desert', 9, 1640,
     '{3,4}', '{Chefchaouen,Fès el-Bali,Aït-Ben-Haddou,Erg Chebbi,Jemaa el-Fna}',
     'From the blue town to the red dunes: “slow travel” with nights under the stars.', '{desert,slow travel,unesco}'),
    ('arabic', 0, 'عُمرة العشر الأواخر', 'عمرة', 'مميّز', 12, 1610,
     '{1,2}', '{المسجد الحرام,متحف السلام عليك,بئر زمزم,مسجد القبلتين}',
     'اثنا عشر يومًا في رحاب الحرمين الشريفين.', '{عمرة,رمضان}'),
    ('arabic', 1, 'ربيع عجلون', 'طبيعة', NULL, 2, 82,
     '{3}', '{قلعة عجلون,غابات راسون,دير مار الياس,جرش}',
     'مسار قصير بين الزيتون والسنديان.', '{طبيعة}'),
    ('japanese', 0, '熊野古道を歩く', 'ハイキング', '巡礼', 5, 860,
     '{2}', '{滝尻王子,発心門王子,熊野本宮大社,那智の滝}',
     '千年の道をゆっくり五日間。荷物は先に宿へ運びます。', '{世界遺産,ハイキング}'),
    ('japanese', 1, '奈良と箱根 湯めぐり', '温泉', NULL, 4, 490,
     '{3,1}', '{東大寺,大涌谷,芦ノ湖,彫刻の森}',
     '五つの湯と富士の眺め♨️', '{温泉,週末}')
  ) AS tour (script, position, name, type, subtype, days, price, hotels, visits, description, tags);

-- The texts, by their script: Latin letters with accents, and the characters that HTML escapes; one
-- written from right to left; one with characters beyond 16 bits. `rooms` are for one to four
-- people; `duties` those of lead guide, teacher and driver; `editions` end the names of tours, the
-- next one each time the list of tours starts again.
CREATE TEMPORARY VIEW sample_words AS SELECT * FROM jsonb_to_recordset($json$[
  {
    "script": "latin",
    "departures": ["İstanbul Airport, entrance 7", "Sabiha Gökçen Airport"],
    "hotels": [
      ["Sarnıç Palas Hotel", "İstanbul", "Türkiye", 5],
      ["Peri Bacası Cave Suites", "Göreme", "Türkiye", 4],
      ["Riad El Fennec d'Or", "Marrakech", "Maroc", 5], ["Bivouac Étoilé", "Merzouga", null, null]],
    "guides": [
      ["Şule Öztürk", "female"], ["İlker Çağlayan", "male"], ["Noor van den Berg", null],
      ["Ümit Şahin", "undisclosed"]],
    "passengers": [
      "Ayşe Yılmaz", "Oğuz Demirtaş", "Élodie Lefebvre", "François Dubois", "Gülşen Koç"],
    "rooms": ["Single room", "Double room", "Triple room", "Family room"],
    "duties": ["Tour leader", "Art historian", "Driver"],
    "editions": ["", ", small group", ", with family", ", photo edition"],
    "arrival": "Arrival in {city}",
    "farewell": "Farewell breakfast and flight home",
    "days": [
      "A slow morning, then a walk with our local guide.",
      "We leave before the crowds arrive; lunch is with a family we have known for years.",
      "An easy day: two visits, one long lunch, and time to yourself."],
    "accommodation": "Small, owner-run houses in the old town, breakfast included.",
    "included": [
      "Flights and taxes", "All breakfasts and three dinners", "Entrance fees", "Airport transfers"],
    "excluded": ["Travel insurance", "Drinks", "Tips", "Visa fees"],
    "faq": [
      ["How large is the group?", "Between 8 and 24 travellers."],
      ["Can I travel alone?", "Yes. We like to find you a room-mate if you wish."],
      ["Is there a vegetarian menu?", "Yes: tell us when you book."],
      ["What happens if it rains?", "We swap the days; every visit has a roof nearby."]]
  },
  {
    "script": "arabic",
    "departures": ["مطار الملكة علياء الدولي", "عمّان – دوّار الداخلية"],
    "hotels": [
      ["فندق أنوار الحرم", "مكة المكرمة", "السعودية", 5],
      ["دار الروضة", "المدينة المنورة", "السعودية", 4], ["بيت الزيتون", "عجلون", null, null]],
    "guides": [
      ["عبد الرحمن الخطيب", "male"], ["لُبنى الزعبي", "female"],
      ["Omar Al-Masri عمر المصري", "male"]],
    "passengers": ["محمد العمري", "فاطمة حدّاد", "خالد شاهين", "آمنة عبيدات"],
    "rooms": ["غرفة مفردة", "غرفة مزدوجة", "غرفة ثلاثية", "غرفة رباعية"],
    "duties": ["قائد المجموعة", "مرشد ديني", "سائق"],
    "editions": ["", " – مجموعة صغيرة", " – للعائلات"],
    "arrival": "الوصول إلى {city}",
    "farewell": "التوديع والعودة إلى الوطن",
    "days": [
      "زيارة صباحية مع المرشد ثم وقت حرّ بعد الظهر.", "ننطلق بعد صلاة الفجر، والغداء في مطعم محلّي."],
    "accommodation": "فنادق مختارة على بُعد خطوات، الإفطار مشمول.",
    "included": ["تذاكر الطيران", "الإقامة مع الإفطار", "رسوم التأشيرة"],
    "excluded": ["المصاريف الشخصية", "وجبة الغداء"],
    "faq": [
      ["ما هي الوثائق المطلوبة؟", "جواز سفر صالح لستة أشهر على الأقل وصورتان شخصيتان."],
      ["هل يُسمح بسفر الأطفال؟", "نعم، برفقة أحد الوالدين؛ والرضّع مجّانًا."],
      ["كم تبعد الفنادق؟", "بين 150 و400 متر سيرًا على الأقدام."]]
  },
  {
    "script": "japanese",
    "departures": ["東京駅 銀の鈴", "羽田空港 第2ターミナル"],
    "hotels": [["湯の宿 さくらや", "箱根", "日本", 4], ["宿坊 遍照庵", "高野山", null, null], ["ホテル𠮷野", "奈良", "日本", 3]],
    "guides": [["佐藤 美咲", "female"], ["髙橋 健太", "male"], ["O’Brien・真理", "female"]],
    "passengers": ["鈴木 陽菜", "田中 蓮", "𠮷田 ゆかり", "斎藤 一郎"],
    "rooms": ["シングル", "ツイン", "トリプル", "和室（4名）"],
    "duties": ["添乗員", "講師", "運転手"],
    "editions": ["", "（少人数）", "（ファミリー）"],
    "arrival": "{city}に到着",
    "farewell": "朝食後、解散",
    "days": ["午前は徒歩で散策、午後は自由行動です。", "朝早く出発し、人の少ない時間に見学します。"],
    "accommodation": "和室または洋室、朝夕食付き。大浴場あり。",
    "included": ["往復交通費", "朝食・夕食", "入場料", "現地ガイド"],
    "excluded": ["昼食", "旅行保険", "個人的な費用"],
    "faq": [
      ["最少催行人数は？", "8名様です。"], ["一人でも参加できますか？", "はい。お一人様のお部屋もご用意できます。"],
      ["歩く距離はどのくらいですか？", "1日あたり約6〜10kmです。"]]
  }
]$json$) AS words (
  script text, departures text[], hotels text[], guides text[], passengers text[], rooms text[], duties text[],
  editions text[], arrival text, farewell text, days text[], accommodation text, included text[], excluded text[],
  faq text[]);
