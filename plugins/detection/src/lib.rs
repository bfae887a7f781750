//! The detection scorer: boxes in two JSON files, matched and averaged exactly as pycocotools does.
//!
//! Data moves forward: [`scan`] turns bytes into [`columns`] and [`lists`], [`load`] reads both files, [`dataset`] puts them
//! together and gives out one category's boxes as a [`group`]; [`matching`] decides hits by [`overlap`], [`tally`] counts them, [`curve`] and
//! [`evaluate`] make the numbers of a category, [`evaluation`] those of all, as laid down in a [`plan`]; [`report`] makes the outcome, and [`suspicion`] looks into one next to nothing.
//! For the [`artifacts`], [`audit`] looks at every box of the [`scene`] once more, [`repair`] tells what mistakes cost, and
//! [`confusion`] what was taken for what.

mod artifacts;
mod audit;
mod columns;
mod confusion;
mod curve;
mod dataset;
mod evaluate;
mod evaluation;
mod group;
mod ids;
mod lines;
mod lists;
mod load;
mod matching;
mod overlap;
mod params;
mod plan;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod reference;
mod repair;
mod report;
mod scan;
mod scene;
mod scorer;
mod sorted;
mod suspicion;
mod tally;

use scorer::DetectionMap;

autoscorer_plugin_api::export_scorers!(DetectionMap);
