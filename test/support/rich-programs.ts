import { deskTenant } from "./support-desk.ts";

/** Something in every part of the page of a program. */
export const richProgram = `
  UPDATE partner_source.programs
     SET description = 'A walk.', departure_point = 'Osaka', category_type = 'culture', guide_name = 'Aiko',
         marketing_tags = '{quiet,green}', excluded = '{Lunch}', visits = '{Kinkaku-ji}',
         accommodation_description = 'Small inns.', gallery_urls = '{https://img.example/1.jpg}'
   WHERE program_id = 'KYOTO-1';
  INSERT INTO partner_source.child_prices VALUES ('${deskTenant}', 'KYOTO-1', 0, 6, 100);
  INSERT INTO partner_source.hotel_stays VALUES ('${deskTenant}', 'KYOTO-1', 1, 'Inn', 'Gion', '2027-04-01', NULL, 4);
  INSERT INTO partner_source.staff VALUES ('${deskTenant}', 'KYOTO-1', 1, 'lead_guide', 'Aiko', NULL, NULL);
  INSERT INTO partner_source.staff VALUES ('${deskTenant}', 'KYOTO-1', 2, 'teacher', 'Ken', 'male', 'Historian');
  INSERT INTO partner_source.flights VALUES ('${deskTenant}', 'KYOTO-1', 1, 'NH', 'https://img.example/nh.svg');
  INSERT INTO partner_source.itinerary VALUES ('${deskTenant}', 'KYOTO-1', 1, 'Arrival', 'By train.');
  INSERT INTO partner_source.faq VALUES ('${deskTenant}', 'KYOTO-1', 1, 'Rain?', 'Umbrellas.');`;

/** A program in a script that is written from the right, with as many days as make a marker of two digits. */
export const galilProgram = `
  INSERT INTO partner_source.programs (tenant_id, program_id, name, lifecycle_state, departure_date, capacity_total, included)
  VALUES ('${deskTenant}', 'GALIL-9', 'אביב בגליל', 'active', '2027-09-30', 1200, '{לינה וארוחת בוקר,טיסות}');
  INSERT INTO partner_source.itinerary
  SELECT '${deskTenant}', 'GALIL-9', day, 'יום ' || day, 'טיול לאורך החוף' FROM generate_series(1, 12) AS day;`;
